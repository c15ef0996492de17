/** The properties that an object had, to find out what a program has changed in it. */

const { hasOwn, is } = Object;
const { getOwnPropertyDescriptor, getPrototypeOf, ownKeys, setPrototypeOf } = Reflect;

/**
 * @typedef {object} NotedProperties The lists inherit nothing, because a prototype may have setters
 * for indices.
 * @property {object} owner
 * @property {object | null} prototype
 * @property {ArrayLike<string | symbol>} keys
 * @property {ArrayLike<PropertyDescriptor>} descriptors
 */

/** Notes the properties of an object. @returns {NotedProperties} */
export function noteProperties(owner) {
  const keys = ownKeys(owner);
  const descriptors = keys.map((key) => propertyOf(owner, key));
  return {
    owner,
    prototype: getPrototypeOf(owner),
    keys: bare(keys),
    descriptors: bare(descriptors),
  };
}

/** Whether the object has the noted properties and no others. */
export function isUnchanged({ owner, prototype, keys, descriptors }) {
  if (getPrototypeOf(owner) !== prototype || ownKeys(owner).length !== keys.length) return false;
  for (let index = 0; index < keys.length; index += 1) {
    if (!isSame(getOwnPropertyDescriptor(owner, keys[index]), descriptors[index])) return false;
  }
  return true;
}

/** Compares without reading inherited properties of the descriptor. */
export function isSame(descriptor, original) {
  if (descriptor === undefined) return false;
  // A data descriptor has no own property `get`; the original inherits nothing.
  if (original.get !== undefined || original.set !== undefined) {
    return (
      hasOwn(descriptor, 'get') &&
      descriptor.get === original.get &&
      descriptor.set === original.set
    );
  }
  return (
    hasOwn(descriptor, 'value') &&
    is(descriptor.value, original.value) &&
    descriptor.writable === original.writable
  );
}

/**
 * Returns the descriptor of a property. `defineProperty` accepts it, whatever `Object.prototype`
 * contains by then.
 */
export function propertyOf(owner, key) {
  const descriptor = getOwnPropertyDescriptor(owner, key);
  return descriptor && bare(descriptor);
}

/** Makes an object inherit nothing. */
export function bare(object) {
  setPrototypeOf(object, null);
  return object;
}
