import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Readable } from 'node:stream';

const LOADER = new URL('./typescript-loader.mjs', import.meta.url).href;

/** Starts a TypeScript file as a process of its own, its errors shown here. */
export function startTypeScript(
  file: URL,
  ...args: readonly string[]
): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, ['--import', LOADER, fileURLToPath(file), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
