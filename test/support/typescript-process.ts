import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Readable } from 'node:stream';

/** With `--import`, Node runs TypeScript files. */
const TYPESCRIPT_LOADER: string = new URL('./typescript-loader.mjs', import.meta.url).href;

/** A program that runs another one, whose modules it has made into few files. */
export const RUN_BUNDLED: string = fileURLToPath(new URL('./bundles/run.mjs', import.meta.url));

interface TypeScriptProcess {
  readonly file: URL;
  readonly args?: readonly string[];
  /** @default this process's own */
  readonly env?: NodeJS.ProcessEnv;
  /** The user that it runs as, for root alone. @default this one */
  readonly userId?: number;
  /** For a test of what is loaded. @default false: all that is loaded at once is one file, in a quarter of the time */
  readonly separateModules?: boolean;
}

/** Starts a TypeScript file as a process of its own, its errors shown here. */
export function startTypeScript(
  given: URL | TypeScriptProcess,
  ...more: readonly string[]
): ChildProcessByStdio<null, Readable, null> {
  const options: TypeScriptProcess = given instanceof URL ? { file: given } : given;
  const { file, args = more, env, userId, separateModules = false } = options;
  const run = separateModules ? ['--import', TYPESCRIPT_LOADER] : [RUN_BUNDLED];
  return spawn(process.execPath, [...run, fileURLToPath(file), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(env && { env }),
    ...(userId !== undefined && { uid: userId, gid: userId }),
  });
}
