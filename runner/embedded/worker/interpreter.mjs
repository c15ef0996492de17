import { Script } from 'node:vm';

/**
 * Loads Pyodide from memory: its own loader fetches files, of which a worker without permissions
 * has none. Its sources run as scripts of `node:vm`, where `import()` does not work: code that is
 * made from text is refused in this process, so nothing can import a module once this has run.
 */

const NOWHERE = 'file:///pyodide/';
const PYTHON_STACK_BYTES = 1 << 20;

/** @returns Its runtime, a function. Takes long enough to be done before the other parts are there. */
export function compileRuntime(source) {
  return runModule(source, 'pyodide.asm.mjs').default;
}

/** @param parts - The runtime, and the bytes of the loader, the standard library and perhaps a snapshot. */
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
      createPyodideModule: runtime,
      lockFileContents: { info: { abi_version: '2026_0' }, packages: {} },
      jsglobals: Object.create(null),
      env: { HOME: '/tmp', LANG: 'C.UTF-8' },
      enableRunUntilComplete: false,
      ...(snapshot === undefined ? { _makeSnapshot: true } : { _loadSnapshot: snapshot }),
    });
    // Pyodide's own account of a crash would be written into the program's output.
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
 * Has Python raise `RecursionError` early. It only watches its own stack, of 5 MB; JavaScript's, which
 * each call takes a part of too, would overflow first, and that is the end of the interpreter.
 */
function protectStack(runtime) {
  runtime._PyUnstable_ThreadState_SetStackProtection(
    runtime._PyThreadState_Get(),
    runtime._emscripten_stack_get_base() - PYTHON_STACK_BYTES,
    PYTHON_STACK_BYTES,
  );
}

/** Imports the Python runner, from sources by file name, and what programs use most. */
export function importRunner(pyodide, sources) {
  pyodide.FS.mkdirTree('/runner/ptc_runner');
  for (const [name, source] of Object.entries(sources)) {
    pyodide.FS.writeFile(`/runner/ptc_runner/${name}`, source);
  }
  pyodide.pyimport('sys').path.append('/runner');
  pyodide.pyimport('ptc_runner.pyodide_guest').prepare();
}

/** Runs an ES module that imports nothing, as a script, and gives its exports. */
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
  // Strict as a module is: a function that is not gives `globalThis` away.
  const script = `(() => {'use strict';${source}\nreturn { ${exports.join(', ')} };\n})()`;
  return new Script(script, { filename: name }).runInThisContext();
}
