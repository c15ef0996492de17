import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const RECORDER = fileURLToPath(new URL('./record-imports.mjs', import.meta.url));

/**
 * Runs a program with Node, as an ES module in a directory.
 * @returns the addresses of all modules that it loads.
 * @throws Error with what it prints if it fails.
 */
export async function recordedImports(program: string, cwd: string): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'recorded-imports-'));
  try {
    const file = join(directory, 'addresses');
    const args = ['--import', RECORDER, '--input-type=module', '--eval', program];
    const env = { ...process.env, RECORDED_IMPORTS: file };
    await promisify(execFile)(process.execPath, args, { cwd, env });
    return (await readFile(file, 'utf8')).trimEnd().split('\n');
  } finally {
    await rm(directory, { recursive: true });
  }
}
