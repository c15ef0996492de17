/**
 * Node's own modules, which it loads as they are first used. One whose load is cut off stays half loaded for good, so
 * no interrupt comes amid those that programs load by what they require, import or find in the global scope.
 */

import module from 'node:module';
import vm from 'node:vm';
import { runWhole } from './gate.mjs';

const { isBuiltin, Module } = module;
const { _load: loadOfNode } = Module;
const { defineProperty } = Object;
const { apply } = Reflect;
const exec = Reflect.get(RegExp.prototype, 'exec');
const IMPORT = /\bimport\s*\(\s*(?:(["'])([\w:/]+)\1)?/g;
const runPending = process._tickCallback.bind(process);
/** Names with a getter that loads nothing. */
const LOADED = new Set(['process', 'Buffer']);
const known = { __proto__: null };
let canImport = false;

/** Runs a script in the global scope. It may import modules. */
export function evaluate(text, options) {
  return new vm.Script(text, {
    ...options,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  }).runInThisContext();
}

/** Has each module loaded whole that programs require, or that a name of the global scope needs. */
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
  return runWhole(loadThis);
}

/** Until a program first uses the name. */
function touchWhole(name, descriptor, touch) {
  const restore = () => defineProperty(globalThis, name, descriptor);
  defineProperty(globalThis, name, {
    get() {
      restore();
      runWhole(touch);
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

/** Loads what a script imports of Node's modules by its name, and before it what imports them. */
export function loadImports(text) {
  IMPORT.lastIndex = 0;
  for (let found; (found = apply(exec, IMPORT, [text])) !== null;) {
    const { 2: specifier } = found;
    if (!canImport) runWhole(loadImporter);
    if (specifier !== undefined && isBuiltin(specifier)) loadAhead(specifier);
  }
}

function loadAhead(specifier) {
  try {
    _load(specifier);
  } catch {
    // What imports it says so, if the program gets there.
  }
}

function loadImporter() {
  canImport = true;
  evaluate("import('node:module')", { filename: 'runner:import' });
  runPending();
}
