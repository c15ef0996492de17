/** Properties of the global object, by which programs know the names that earlier ones declared. */

const { defineProperty, getOwnPropertyDescriptor } = Object;
const { ReferenceError } = globalThis;
const deadZones = { __proto__: null };

// It inherits nothing: a program may have put the other parts of a descriptor into `Object.prototype`.
const FIXED = { __proto__: null, writable: false };

/**
 * Makes room for a name that a program declares: it may be declared again, and has its old value until then. Without
 * an old value, to read a name with a dead zone is an error until its declaration has given it a value.
 */
export function declare(name, hasDeadZone) {
  const known = getOwnPropertyDescriptor(globalThis, name);
  if (known === undefined || (name in deadZones && known.get === deadZones[name])) {
    if (hasDeadZone) defineProperty(globalThis, name, deadZone(name));
    else define(globalThis, name, undefined);
  } else if (known.configurable && !known.writable) define(globalThis, name, globalThis[name]);
}

/** A property that cannot be read, and that an assignment makes a plain one. */
function deadZone(name) {
  const get = () => {
    throw new ReferenceError(`Cannot access '${name}' before initialization`);
  };
  deadZones[name] = get;
  const set = (value) => define(globalThis, name, value);
  return { __proto__: null, get, set, enumerable: true, configurable: true };
}

/** Has a name keep its value until it is declared again. */
export function makeConstant(name) {
  const known = getOwnPropertyDescriptor(globalThis, name);
  if (known?.configurable === true) defineProperty(globalThis, name, FIXED);
}

/** Whether a name keeps its value until it is declared again. */
export function isConstant(name) {
  const { configurable, writable } = getOwnPropertyDescriptor(globalThis, name) ?? {};
  return configurable === true && writable === false;
}

/** Has programs find a value of the runner's own by a name, without it being listed among theirs. */
export function provide(name, value) {
  define(globalThis, name, value);
  defineProperty(globalThis, name, { __proto__: null, enumerable: false });
}

/** Gives an object a property, in place of any it has. */
export function define(scope, name, value) {
  const rights = { writable: true, enumerable: true, configurable: true };
  defineProperty(scope, name, { __proto__: null, value, ...rights });
}
