// Replaces every function, accessor and constructor that a program can reach, and looks at all that they are
// then called with: is anything of it the supervisor's, or would make code of text?
const { hookAll, hookMissing, foundByHooks } = (() => {
  const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } =
    Reflect;
  const { setPrototypeOf } = Object;
  const { test } = RegExp.prototype;
  const sourceOf = Function.prototype.toString;
  const sharedSize = getOwnPropertyDescriptor(SharedArrayBuffer.prototype, 'byteLength').get;
  const typedArray = getPrototypeOf(Uint8Array.prototype);
  const buffers = [typedArray, DataView.prototype].map(
    (prototype) => getOwnPropertyDescriptor(prototype, 'buffer').get,
  );
  const { has, add } = Set.prototype;
  const looked = new Set();
  const own = new Set();
  const KINDS =
    /^(?:Worker|MessagePort|MessageChannel|MessageEvent|Script|SupervisorLink|ByteRing|LineReader|Guest|ToolCalls|Stacks|[Pp]rocess)$/;
  const NAMES = /^(?:op_\w+|openSync|writeSync|readSync|readFileSync|binding|kill|chdir|runInThisContext)$/;
  // Of functions of the runner that hold such an object. In pieces, so that these ones do not match.
  const SOURCES = new RegExp(['link\\.|#in', 'box|#out', 'box|post', 'Message\\(|runInThis', 'Context|op', '_vm'].join(''));
  const PLAIN = ['exec', 'flags', 'global', 'unicode'];
  for (const pattern of [KINDS, NAMES, SOURCES]) {
    for (const name of PLAIN) defineProperty(pattern, name, { value: pattern[name] });
  }
  const ATTRIBUTES = new Set(['value', 'writable', 'get', 'set', 'enumerable', 'configurable']);
  let calls = 0;
  let found = '';
  let isLooking = false;

  function kindOf(value) {
    for (let each = value, depth = 0; each !== null && depth < 5; depth += 1) {
      const made = getOwnPropertyDescriptor(each, 'constructor')?.value;
      const name =
        typeof made === 'function' ? getOwnPropertyDescriptor(made, 'name')?.value : undefined;
      if (typeof name === 'string' && name !== 'Object') return name;
      each = getPrototypeOf(each);
    }
    return '';
  }

  function isShared(value) {
    try {
      apply(sharedSize, value, []);
      return true;
    } catch {
      return false;
    }
  }

  function look(value, where, depth) {
    if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return;
    if (apply(has, looked, [value]) || apply(has, own, [value])) return;
    apply(add, looked, [value]);
    try {
      if (isShared(value)) found += `shared memory: ${where}\n`;
      const kind = kindOf(value);
      if (apply(test, KINDS, [kind])) found += `${kind}: ${where}\n`;
      if (typeof value === 'function') {
        const name = getOwnPropertyDescriptor(value, 'name')?.value ?? '';
        const isFound =
          apply(test, NAMES, [name]) || apply(test, SOURCES, [apply(sourceOf, value, [])]);
        if (isFound) found += `function ${name}: ${where}\n`;
      }
    } catch {
      // A proxy that says nothing of itself.
    }
    for (let index = 0; index < 2; index += 1) {
      try {
        look(apply(buffers[index], value, []), `${where}.buffer`, depth + 1);
      } catch {
        // No view.
      }
    }
    if (depth > 3) return;
    const keys = ownKeys(value);
    for (let index = 0; index < keys.length && index < 200; index += 1) {
      const { value: member } = getOwnPropertyDescriptor(value, keys[index]) ?? {};
      look(member, typeof keys[index] === 'string' ? `${where}.${keys[index]}` : where, depth + 1);
    }
    look(getPrototypeOf(value), where, depth + 1);
  }

  function saw(where, self, values, result) {
    calls += 1;
    if (isLooking) return;
    isLooking = true;
    try {
      look(self, `${where} this`, 0);
      for (let index = 0; index < values.length; index += 1) look(values[index], where, 0);
      look(result, `${where} result`, 0);
    } finally {
      isLooking = false;
    }
  }

  function hookedFunction(original, where) {
    const hooked = {
      method(...values) {
        if (isLooking) return apply(original, this, values);
        saw(where, this, values);
        const result = apply(original, this, values);
        saw(where, undefined, [], result);
        return result;
      },
    }.method;
    apply(add, own, [hooked]);
    return hooked;
  }

  function hookedClass(original, where) {
    return new Proxy(original, {
      apply(_target, self, values) {
        saw(where, self, values);
        return apply(original, self, values);
      },
      construct(_target, values, made) {
        const result = construct(original, values, made);
        saw(where, undefined, values, result);
        return result;
      },
    });
  }

  function hook(owner, key, where) {
    const descriptor = getOwnPropertyDescriptor(owner, key);
    if (descriptor === undefined || key === 'constructor') return;
    const { value, get, set, configurable, writable } = descriptor;
    let hooked;
    if (get !== undefined || set !== undefined) {
      hooked = {
        ...descriptor,
        get: get && hookedFunction(get, `get ${where}`),
        set: set && hookedFunction(set, `set ${where}`),
      };
    } else if (typeof value === 'function') {
      // Of classes `Proxy` alone has no prototype.
      const isClass = value === Proxy || getOwnPropertyDescriptor(value, 'prototype') !== undefined;
      hooked = { ...descriptor, value: isClass ? hookedClass(value, where) : hookedFunction(value, where) };
    }
    if (hooked === undefined || (!configurable && !writable)) return;
    try {
      defineProperty(owner, key, hooked);
    } catch {
      // It stays.
    }
  }

  /** All objects that can be reached from these, with their paths. */
  function reach(roots) {
    const reached = new Map();
    const queue = Object.entries(roots);
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [path, value] = next;
      if ((typeof value !== 'object' || value === null) && typeof value !== 'function') continue;
      if (reached.has(value) || own.has(value)) continue;
      reached.set(value, path);
      for (const key of ownKeys(value)) {
        const { value: member, get, set } = getOwnPropertyDescriptor(value, key) ?? {};
        for (const part of [member, get, set]) queue.push([`${path}.${String(key)}`, part]);
      }
      queue.push([`${path}.__proto__`, getPrototypeOf(value)]);
    }
    return reached;
  }

  return {
    /** Hooks what can be reached from the global object and from `more`. @returns how much that is */
    hookAll(more = {}) {
      const samples = {
        globalThis,
        iterator: [][Symbol.iterator](),
        mapIterator: new Map()[Symbol.iterator](),
        setIterator: new Set()[Symbol.iterator](),
        textIterator: ''[Symbol.iterator](),
        matchIterator: ''.matchAll(/x/g),
        generator: (function* () {})(),
        asyncGenerator: (async function* () {})(),
        asyncFunction: async () => {},
        ...more,
      };
      const reached = reach(samples);
      isLooking = true;
      for (const [owner, path] of reached) {
        // Its members are a program's own names, and stay what they are for it, but for the classes.
        for (const key of ownKeys(owner)) {
          if (owner === globalThis && /^[a-z]/.test(String(key))) continue;
          hook(owner, key, `${path}.${String(key)}`);
        }
      }
      isLooking = false;
      return reached.size;
    },

    /** Hooks properties that objects do not have, as are options that nobody gave. */
    hookMissing(names) {
      const { prototype } = Object;
      for (const name of names) {
        // With those of descriptors nothing could be defined any more.
        if (name in prototype || apply(has, ATTRIBUTES, [name])) continue;
        defineProperty(prototype, name, {
          configurable: true,
          get: hookedFunction(function () {}, `get ${name}`),
          set: hookedFunction(function (value) {
            defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
          }, `set ${name}`),
        });
      }
      for (let index = 0; index < 8; index += 1) {
        defineProperty(Array.prototype, index, {
          configurable: true,
          get: hookedFunction(function () {}, `get ${index}`),
          set: hookedFunction(function (value) {
            defineProperty(this, index, { value, writable: true, enumerable: true, configurable: true });
          }, `set ${index}`),
        });
      }
    },

    /** Whether the hooks were called at all, and with what they should not have been. */
    foundByHooks() {
      return `${calls > 0} [${found}]`;
    },
  };
})();
