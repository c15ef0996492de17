/**
 * Node's own modules, which are loaded when they are first used. A module whose loading is
 * interrupted stays half loaded, so no interrupt is allowed while a program loads one by `require`,
 * `import` or a global name.
 */

import module from 'node:module';
import vm from 'node:vm';
import { runUninterrupted } from './enter-program.mjs';

const { isBuiltin, Module } = module;
const { _load: loadOfNode } = Module;
const { defineProperty } = Object;
const { apply } = Reflect;
const exec = Reflect.get(RegExp.prototype, 'exec');
const includes = Reflect.get(String.prototype, 'includes');
const IMPORT = /\bimport\s*\(\s*(?:(["'])([\w:/]+)\1)?/g;
const runPending = process._tickCallback.bind(process);
/** Names with a getter that loads nothing. */
const LOADED = new Set(['process', 'Buffer']);
const known = { __proto__: null };
let canImport = false;

/** Runs a script in the global scope. It can import modules. */
export function evaluate(text, options) {
  return new vm.Script(text, {
    ...options,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  }).runInThisContext();
}

/** Makes the loading of modules by `require` and by global names uninterruptible. */
export function loadWhole() {
  Module._load = _load;
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(globalThis))) {
    if (descriptor.get && descriptor.configurable && !LOADED.has(name)) {
      touchWhole(name, descriptor, () => globalThis[name]);
    }
  }
  const fetch = Object.getOwnPropertyDescriptor(globalThis, 'fetch');
  if (fetch) touchWhole('fetch', fetch, () => globalThis.Headers);
}

function _load(request, ...others) {
  const loadThis = () => apply(loadOfNode, Module, [request, ...others]);
  if (typeof request !== 'string' || known[request] || !isBuiltin(request)) return loadThis();
  known[request] = true;
  return runUninterrupted(loadThis);
}

/** Replaces a getter until a program first uses the name. */
function touchWhole(name, descriptor, touch) {
  const restore = () => defineProperty(globalThis, name, descriptor);
  defineProperty(globalThis, name, {
    get() {
      restore();
      runUninterrupted(touch);
      return globalThis[name];
    },
    set(value) {
      restore();
      globalThis[name] = value;
    },
    configurable: true,
    enumerable: descriptor.enumerable,
  });
}

/** Loads the modules of Node that a script imports by name, and before them the module loader. */
export function loadImports(text) {
  if (!apply(includes, text, ['import'])) return;
  IMPORT.lastIndex = 0;
  for (let found; (found = apply(exec, IMPORT, [text])) !== null;) {
    const { 2: specifier } = found;
    if (!canImport) runUninterrupted(loadImporter);
    if (specifier !== undefined && isBuiltin(specifier)) loadAhead(specifier);
  }
}

function loadAhead(specifier) {
  try {
    _load(specifier);
  } catch {
    // The import itself reports the error, if the program reaches it.
  }
}

function loadImporter() {
  canImport = true;
  evaluate("import('node:module')", { filename: 'runner:import' });
  runPending();
}
