import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Readable } from 'node:stream';

/** With `--import`, Node runs TypeScript files. */
export const TYPESCRIPT_LOADER: string = new URL('./typescript-loader.mjs', import.meta.url).href;

interface TypeScriptProcess {
  readonly file: URL;
  readonly args?: readonly string[];
  /** @default this process's own */
  readonly env?: NodeJS.ProcessEnv;
  /** The user that it runs as, for root alone. @default this one */
  readonly userId?: number;
}

/** Starts a TypeScript file as a process of its own, its errors shown here. */
export function startTypeScript(
  given: URL | TypeScriptProcess,
  ...more: readonly string[]
): ChildProcessByStdio<null, Readable, null> {
  const { file, args = more, env, userId } = given instanceof URL ? { file: given } : given;
  return spawn(process.execPath, ['--import', TYPESCRIPT_LOADER, fileURLToPath(file), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(env && { env }),
    ...(userId !== undefined && { uid: userId, gid: userId }),
  });
}
