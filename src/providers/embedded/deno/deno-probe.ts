import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Availability } from '../../../sandbox/sandbox.ts';
import { messageOf } from '../../../shared/errors.ts';
import { type EmbeddedPackages, REMEDY } from '../embedded-packages.ts';

const TIMEOUT_MS = 10_000;

/** Checks whether Deno starts and Pyodide is complete. */
export async function probeDeno(packages: EmbeddedPackages): Promise<Availability> {
  const { denoPath, pyodideDirectory, pyodideVersion } = packages;
  try {
    const { stdout } = await promisify(execFile)(denoPath, ['--version'], {
      env: { DENO_DIR: `${denoPath}/none`, NO_COLOR: '1' },
      timeout: TIMEOUT_MS,
    });
    await access(join(pyodideDirectory, 'pyodide.asm.wasm'));
    const version = /^deno (\S+)/.exec(stdout)?.[1] ?? packages.denoVersion;
    return { usable: true, description: `Deno ${version} with Pyodide ${pyodideVersion}` };
  } catch (error) {
    return {
      usable: false,
      reason: `Deno or Pyodide cannot be used: ${messageOf(error)}`,
      remedy: REMEDY,
    };
  }
}
