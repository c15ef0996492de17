/**
 * The modules that a program in the embedded sandbox can load: those that only compute. `node:fs`
 * would write to any open file descriptor of the process, whatever the permissions say.
 */

const { freeze, keys } = Object;
const { apply, defineProperty, deleteProperty } = Reflect;
const getBuiltinModule = process.getBuiltinModule.bind(process);
const [slice, startsWith] = ['slice', 'startsWith'].map((name) =>
  Reflect.get(String.prototype, name),
);
const randomUUID = crypto.randomUUID.bind(crypto);
const PREFIX = 'node:';

const COMPUTING = `
  assert assert/strict async_hooks buffer crypto diagnostics_channel events path path/posix path/win32 perf_hooks
  punycode querystring readline readline/promises stream stream/consumers stream/promises stream/web string_decoder
  timers timers/promises url util util/types zlib
`
  .trim()
  .split(/\s+/);

export class Modules {
  /**
   * By name. The tables inherit nothing, because a program may have patched other ways to look
   * names up.
   */
  #load = { __proto__: null };
  #import = { __proto__: null };
  #list;

  /** @param {Record<string, object>} own - Modules of the runner that replace those of Deno. */
  constructor(own) {
    for (const name of COMPUTING) {
      this.#load[name] = () => withDeno(() => getBuiltinModule(name));
      this.#import[name] = () => import(`node:${name}`);
    }
    this.#load.crypto = loadCrypto;
    for (const name of keys(own)) {
      this.#load[name] = () => own[name];
      this.#import[name] = () => namespaceOf(own[name]);
    }
    this.#list = this.names.sort().join(', ');
  }

  get names() {
    return keys(this.#load);
  }

  isBuiltin(specifier) {
    return typeof specifier === 'string' && this.#load[nameOf(specifier)] !== undefined;
  }

  /** Implements `require`. */
  load(specifier, errorCode = 'MODULE_NOT_FOUND') {
    return this.#find(specifier, errorCode)();
  }

  /** Implements `import`. */
  async import(specifier) {
    this.load(specifier, 'ERR_MODULE_NOT_FOUND');
    return this.#import[nameOf(specifier)]();
  }

  #find(specifier, errorCode) {
    if (typeof specifier !== 'string') throw new TypeError('The name of a module must be a text');
    const found = this.#load[nameOf(specifier)];
    if (found !== undefined) return found;
    const error = new Error(
      `Cannot find module '${specifier}': the embedded sandbox has no files and no packages, only ${this.#list}`,
    );
    defineProperty(error, 'code', { __proto__: null, value: errorCode });
    throw error;
  }
}

function nameOf(specifier) {
  const hasPrefix = apply(startsWith, specifier, [PREFIX]);
  return hasPrefix ? apply(slice, specifier, [PREFIX.length]) : specifier;
}

/**
 * Its own `randomUUID` calls that of the global `crypto`, which is this module if a program assigns
 * it to that name.
 */
function loadCrypto() {
  const module = withDeno(() => getBuiltinModule('crypto'));
  const value = { randomUUID: () => randomUUID() }.randomUUID;
  defineProperty(module, 'randomUUID', { __proto__: null, value });
  return module;
}

/** Some modules read properties of Deno while they are loaded, and programs have no Deno. */
function withDeno(load) {
  defineProperty(globalThis, 'Deno', { __proto__: null, value: {}, configurable: true });
  try {
    return load();
  } finally {
    deleteProperty(globalThis, 'Deno');
  }
}

/** Returns a module's exports in the form of a namespace object. */
function namespaceOf(exported) {
  return freeze({ __proto__: null, ...exported, default: exported });
}
