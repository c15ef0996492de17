import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Reads the Python files in a directory and below it. Their paths are relative to it, with `/`. */
export async function readPythonFiles(
  directory: string,
): Promise<[path: string, source: string][]> {
  const names = (await readdir(directory, { recursive: true })).filter((name) =>
    name.endsWith('.py'),
  );
  const files = names.map(async (name): Promise<[string, string]> => [
    name.replaceAll('\\', '/'),
    await readFile(join(directory, name), 'utf8'),
  ]);
  return (await Promise.all(files)).sort(([one], [other]) => (one < other ? -1 : 1));
}

/** The name by which the runner imports the file that has this path in its package. */
export function moduleName(path: string): string {
  return `ptc_runner.${path.slice(0, -'.py'.length).replaceAll('/', '.')}`;
}
