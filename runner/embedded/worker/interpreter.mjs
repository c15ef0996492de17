import { Script } from 'node:vm';

/**
 * Loads Pyodide from memory, because a worker without permissions cannot fetch files as Pyodide's
 * loader does. Its sources run as scripts of `node:vm`, in which `import()` does not work. This
 * process refuses code from text, so nothing can import a module after this has run.
 */

const NOWHERE = 'file:///pyodide/';
const PYTHON_STACK_BYTES = 1 << 20;

/** @returns The runtime, a function. Slow enough to run before the other parts have arrived. */
export function compileRuntime(source) {
  return runModule(source, 'pyodide.asm.mjs').default;
}

/**
 * @param parts - The runtime, the bytes of the loader and the standard library, and, optionally, a
 * `StoredSnapshot`.
 */
export async function loadInterpreter({ runtime, loader, standardLibrary, module, snapshot }) {
  const { loadPyodide } = runModule(loader, 'pyodide.mjs');
  globalThis.fetch = async () => ({ ok: true, arrayBuffer: async () => standardLibrary.buffer });
  WebAssembly.instantiateStreaming = async (_response, imports) => ({
    module,
    instance: await WebAssembly.instantiate(module, imports),
  });
  try {
    const pyodide = await loadPyodide({
      indexURL: NOWHERE,
      packageBaseUrl: NOWHERE,
      createPyodideModule: snapshot === undefined ? runtime : restoring(runtime, snapshot),
      lockFileContents: { info: { abi_version: '2026_0' }, packages: {} },
      jsglobals: Object.create(null),
      env: { HOME: '/tmp', LANG: 'C.UTF-8', OUTPUT_DIR: '/tmp/outputs' },
      enableRunUntilComplete: false,
      ...(snapshot === undefined ? { _makeSnapshot: true } : { _loadSnapshot: snapshot.head }),
    });
    // Pyodide would write its description of a crash into the program's output.
    pyodide._api.fatal_error = (error) => {
      throw error;
    };
    protectStack(pyodide._module);
    return pyodide;
  } finally {
    delete globalThis.fetch;
    delete WebAssembly.instantiateStreaming;
  }
}

/**
 * Makes the runtime restore the memory itself. Pyodide needs the whole of a snapshot, and would copy
 * it: twice 30 MB, half of them zero.
 */
function restoring(runtime, snapshot) {
  return async (settings) => {
    const module = await runtime(Object.assign(settings, { INITIAL_MEMORY: snapshot.memoryBytes }));
    snapshot.restore(module.HEAPU8);
    return module;
  };
}

/**
 * Makes Python raise `RecursionError` early. Python checks only its own stack of 5 MB. JavaScript's
 * stack, which each call uses too, would overflow first, and that would end the interpreter.
 */
function protectStack(runtime) {
  runtime._PyUnstable_ThreadState_SetStackProtection(
    runtime._PyThreadState_Get(),
    runtime._emscripten_stack_get_base() - PYTHON_STACK_BYTES,
    PYTHON_STACK_BYTES,
  );
}

/**
 * Imports the Python runner, from sources by path, and modules that programs often use.
 * @param wheels - The bytes of wheels, by the names of their files.
 */
export function importRunner(pyodide, sources, wheels) {
  for (const [path, source] of Object.entries(sources)) {
    const file = `/runner/ptc_runner/${path}`;
    pyodide.FS.mkdirTree(file.slice(0, file.lastIndexOf('/')));
    pyodide.FS.writeFile(file, source);
  }
  pyodide.pyimport('sys').path.append('/runner');
  if (wheels.length > 0) {
    pyodide.FS.mkdir('/wheels');
    for (const [name, bytes] of wheels) pyodide.FS.writeFile(`/wheels/${name}`, bytes);
    pyodide.pyimport('ptc_runner.embedded.wheels').keep('/wheels');
  }
  pyodide.pyimport('ptc_runner.embedded.pyodide_guest').prepare();
}

/** Runs an ES module without imports as a script, and returns its exports. */
function runModule(bytes, name) {
  const exports = [];
  const source = new TextDecoder()
    .decode(bytes)
    .replaceAll('import.meta.url', JSON.stringify(NOWHERE + name))
    .replace(/\bexport default (\w+);?/, (_, local) => {
      exports.push(`default: ${local}`);
      return '';
    })
    .replace(/\bexport\s*\{([^}]*)\};?/, (_, list) => {
      for (const item of list.split(',')) {
        const [local, exported = local] = item.trim().split(/\s+as\s+/);
        exports.push(`${exported}: ${local}`);
      }
      return '';
    });
  // In strict mode, as in a module: other functions would expose `globalThis`.
  const script = `(() => {'use strict';${source}\nreturn { ${exports.join(', ')} };\n})()`;
  return new Script(script, { filename: name }).runInThisContext();
}
