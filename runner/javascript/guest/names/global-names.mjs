/**
 * Properties of the global object, by which programs find the names that earlier programs declared.
 */

const { defineProperty, getOwnPropertyDescriptor } = Object;
const { deleteProperty } = Reflect;
const { ReferenceError } = globalThis;
/** The getters of the names whose declarations the program has not reached. */
let deadZones = { __proto__: null };

// It inherits nothing, because a program may have added properties of descriptors to
// `Object.prototype`.
const FIXED = { __proto__: null, writable: false };

/**
 * Prepares a name that a program declares: it can be declared again, and keeps its old value until
 * then. If it has no old value and a dead zone, reading it is an error until its declaration has
 * given it a value.
 */
export function declare(name, hasDeadZone) {
  const known = getOwnPropertyDescriptor(globalThis, name);
  if (known === undefined) {
    if (hasDeadZone) defineProperty(globalThis, name, deadZone(name));
    else define(globalThis, name, undefined);
  } else if (known.configurable && !known.writable) define(globalThis, name, globalThis[name]);
}

/** Removes the names whose declarations the last program did not reach, as if it had not declared them. */
export function forgetUnreached() {
  const names = deadZones;
  deadZones = { __proto__: null };
  for (const name in names) {
    if (getOwnPropertyDescriptor(globalThis, name)?.get === names[name]) {
      deleteProperty(globalThis, name);
    }
  }
}

/** A property that cannot be read, and that an assignment makes an ordinary one. */
function deadZone(name) {
  const get = () => {
    throw new ReferenceError(`Cannot access '${name}' before initialization`);
  };
  deadZones[name] = get;
  const set = (value) => define(globalThis, name, value);
  return { __proto__: null, get, set, enumerable: true, configurable: true };
}

/** Makes a name keep its value until it is declared again. */
export function makeConstant(name) {
  const known = getOwnPropertyDescriptor(globalThis, name);
  if (known?.configurable === true) defineProperty(globalThis, name, FIXED);
}

/** Whether a name keeps its value until it is declared again. */
export function isConstant(name) {
  const { configurable, writable } = getOwnPropertyDescriptor(globalThis, name) ?? {};
  return configurable === true && writable === false;
}

/** Defines a name of the runner that programs can use, without listing it among their names. */
export function provide(name, value) {
  define(globalThis, name, value);
  defineProperty(globalThis, name, { __proto__: null, enumerable: false });
}

/** Defines a property of an object, and replaces an existing one. */
export function define(scope, name, value) {
  const rights = { writable: true, enumerable: true, configurable: true };
  defineProperty(scope, name, { __proto__: null, value, ...rights });
}
