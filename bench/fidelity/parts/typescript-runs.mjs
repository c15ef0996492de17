// What can be observed about a compiled program that runs in a new context: enough to distinguish
// two programs.

import vm from 'node:vm';

const LIMIT = { timeout: 300 };
/** Names that a program does not define are found one at a time. */
const MOST_NAMES = 200;
const DEEPEST = 4;
/** The values of a program may be endless. */
const MOST_VALUES = 2000;

/**
 * Returns the values of a program's top-level names, how it ends, and how it uses names that it
 * does not define. Functions and classes are called, too.
 * @param {{ functions: vm.Script, main: vm.Script, names: readonly string[] }} program
 */
export function observe(program) {
  const unknown = new Set();
  while (unknown.size < MOST_NAMES) {
    const watch = new Watch();
    const { context } = watch;
    const error = run(program, watch, unknown);
    const [, name] = /^(\S+) is not defined$/.exec(error?.message ?? '') ?? [];
    if (name === undefined || unknown.has(name)) {
      // If the body of a namespace fails, one side has a part of it, and the other nothing.
      const names = error === undefined ? Object.keys(context) : [];
      const state = names
        .filter((key) => !unknown.has(key) && !key.startsWith('fidelity'))
        .sort((a, b) => (a < b ? -1 : 1))
        .map((key) => [key, watch.describe(context[key], 0)]);
      return JSON.stringify({ state, end: describeError(error), calls: watch.calls });
    }
    unknown.add(name);
  }
  throw new Error(`A program uses more than ${MOST_NAMES} names that it does not define.`);
}

/** Runs it, and its promises, until the time limit. */
function run({ functions, main, names }, watch, unknown) {
  const { context } = watch;
  vm.runInContext('Math.random = () => 0.5', context);
  for (const name of names) context[name] = undefined;
  for (const name of unknown) context[name] = watch.thing(name);
  context.fidelityLast = (...values) => values.at(-1);
  // A function of this realm would be called later, when no code of the context runs.
  vm.runInContext('fidelityFail = (reason) => { fidelityError = reason; }', context);
  try {
    functions.runInContext(context, LIMIT);
    context.fidelityMain = main.runInContext(context);
    const start = 'fidelityMain(() => {}, fidelityLast).catch(fidelityFail)';
    vm.runInContext(start, context, LIMIT);
    return context.fidelityError;
  } catch (error) {
    return error;
  }
}

function describeError(error) {
  return error === undefined ? 'ok' : String(error?.name ?? error);
}

/** Creates objects that can be used in any way and record it, and describes values as text. */
class Watch {
  // Promises of the context continue only while its code runs, and so within its time limit.
  context = vm.createContext({}, { microtaskMode: 'afterEvaluate' });
  calls = [];
  #global = vm.runInContext('this', this.context);
  #paths = new WeakMap();
  #described = 0;

  /** An object for a name that a program does not define. */
  thing(path) {
    const thing = new Proxy(function () {}, {
      get: (_, key) => this.#get(path, key),
      has: () => true,
      set: (_, key, value) => this.#record(`${path}.${String(key)} =`, [value]),
      apply: (_, self, values) => this.#record(`${path}()`, values) && this.thing(`${path}()`),
      construct: (_, values) => this.#record(`new ${path}`, values) && this.thing(`new ${path}`),
    });
    this.#paths.set(thing, path);
    return thing;
  }

  describe(value, depth) {
    if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
    // As a property, it does not count: JSON leaves it out.
    if (value === undefined) return undefined;
    if (Object.is(value, -0) || Number.isNaN(value)) return String(value);
    if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return value;
    if (this.#paths.has(value)) return this.#paths.get(value);
    if (value === this.#global || isNative(value)) return 'of the engine';
    if (depth > DEEPEST || this.#described > MOST_VALUES) return '…';
    this.#described += 1;
    const used = typeof value === 'function' ? { '()': this.#use(value, depth) } : {};
    return { ...this.#members(value, depth), ...used };
  }

  #members(value, depth) {
    const own = Object.entries(Object.getOwnPropertyDescriptors(value))
      .filter(
        ([key]) => typeof value !== 'function' || !['name', 'length', 'prototype'].includes(key),
      )
      .filter(([, property]) => !('value' in property) || property.value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(
      own.map(([key, property]) => [
        key,
        'value' in property
          ? this.describe(property.value, depth + 1)
          : this.#call(property.get ?? property.set, value, depth),
      ]),
    );
  }

  /** The result of calling it; for a class, its instances and their methods. */
  #use(value, depth) {
    if (!/^class\b/.test(Function.prototype.toString.call(value))) {
      return this.#call(value, undefined, depth);
    }
    const instance = this.#call(
      () => Reflect.construct(value, this.#arguments()),
      undefined,
      depth,
    );
    const methods = Object.entries(Object.getOwnPropertyDescriptors(value.prototype ?? {}))
      .filter(([key, { value: method }]) => key !== 'constructor' && typeof method === 'function')
      .map(([key, { value: method }]) => [key, this.#call(method, this.thing('this'), depth)]);
    return { instance, methods: Object.fromEntries(methods) };
  }

  #call(method, self, depth) {
    try {
      this.context.fidelityCall = () => Reflect.apply(method, self, this.#arguments());
      const value = vm.runInContext('fidelityCall()', this.context, LIMIT);
      return this.describe(value, depth + 1);
    } catch (error) {
      return describeError(error);
    }
  }

  #arguments() {
    return ['first', 'second', 'third'].map((name) => this.thing(name));
  }

  #get(path, key) {
    if (key === Symbol.toPrimitive) return () => path;
    if (key === Symbol.iterator) return () => [].values();
    // It must not be awaitable, and has no class.
    if (key === 'then' || typeof key === 'symbol') return undefined;
    if (key === 'prototype') return {};
    return this.thing(`${path}.${key}`);
  }

  #record(what, values) {
    if (this.calls.length < MOST_VALUES) {
      this.calls.push([what, values.map((value) => this.describe(value, DEEPEST))]);
    }
    return true;
  }
}

function isNative(value) {
  if (typeof value !== 'function') return false;
  return Function.prototype.toString.call(value).endsWith('{ [native code] }');
}
