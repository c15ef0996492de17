import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const EMBEDDED = fileURLToPath(new URL('../../../runner/embedded/', import.meta.url));

/** Makes the script of a worker from a module, which imports the runner's modules relative to `runner/embedded`. */
export async function workerScript(module: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: module, resolveDir: EMBEDDED },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    tsconfigRaw: '{}',
    ignoreAnnotations: true,
    write: false,
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}
