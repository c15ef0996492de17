import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { messageOf } from '../../../shared/errors.ts';
import { PROGRAM_PATH } from '../start/bwrap-arguments.ts';

const TIMEOUT_MS = 5000;
const LONGEST_MESSAGE = 300;

/**
 * Runs a program of the machine that answers at once, and returns what it prints.
 * @param environment - Its variables, in addition to `PATH`.
 * @throws Error if it fails or does not answer. The message says which, as a clause without a full stop.
 */
export async function askProgram(
  name: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const options = { env: { PATH: PROGRAM_PATH, ...environment }, timeout: TIMEOUT_MS };
  try {
    return (await promisify(execFile)(name, args, options)).stdout;
  } catch (cause) {
    const isSlow = cause instanceof Error && 'killed' in cause && cause.killed === true;
    const message = isSlow
      ? `\`${name}\` did not answer within ${TIMEOUT_MS / 1000} s`
      : `\`${name}\` failed: ${messageOf(cause).replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_MESSAGE)}`;
    throw new Error(message, { cause });
  }
}
