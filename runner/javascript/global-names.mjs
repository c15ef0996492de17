/** Properties of the global object, by which programs know the names that earlier ones declared. */

const { defineProperty, getOwnPropertyDescriptor } = Object;

// It inherits nothing: a program may have put the other parts of a descriptor into `Object.prototype`.
const FIXED = { __proto__: null, writable: false };

/** Makes room for a name that a program declares: it may be declared again, and has its old value until then. */
export function declare(name) {
  const known = getOwnPropertyDescriptor(globalThis, name);
  if (known === undefined) define(globalThis, name, undefined);
  else if (known.configurable && !known.writable) define(globalThis, name, globalThis[name]);
}

/** Has a name keep its value until it is declared again. */
export function makeConstant(name) {
  const known = getOwnPropertyDescriptor(globalThis, name);
  if (known?.configurable === true) defineProperty(globalThis, name, FIXED);
}

/** Gives an object a property, in place of any it has. */
export function define(scope, name, value) {
  defineProperty(scope, name, { value, writable: true, enumerable: true, configurable: true });
}
