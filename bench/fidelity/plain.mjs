// Runs commands with the interpreters of a sandbox, outside of any sandbox.

import { spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAM_PATH } from '../../dist/providers/bubblewrap/start/bwrap-arguments.js';
import { findEngine } from '../../dist/providers/docker/engine/engine.js';
import { provideImage } from '../../dist/providers/docker/image/image.js';
import { readRunnerSource } from '../../dist/sandbox/runner-command.js';

/** The user of the ready-made image. On the host, this user has no rights. */
const USER = '20000';

/**
 * Runs a command in a new, empty working directory, which its output calls `/tmp`.
 * @callback PlainCommand
 * @param {readonly string[]} command
 * @param {{ stdin?: string | Buffer, seconds: number }} options - Its input and its time limit.
 * @returns {Promise<{ stdout: string, stderr: string, exitCode: number | null, isTimedOut: boolean
 *   }>}
 */

/**
 * @param {AbortSignal} signal - Ends a running command.
 * @returns {PlainCommand} Runs commands in a container of the image, with the engine's default
 *   isolation.
 */
export function containerCommand(image, signal) {
  const variables = ['HOME=/tmp', 'LANG=C.UTF-8'].flatMap((variable) => ['--env', variable]);
  const run = ['run', '--rm', '--interactive', '--network', 'none', '--workdir', '/tmp'];
  return (command, options) =>
    collect(['docker', ...run, ...variables, image, ...underTime(options.seconds), ...command], {
      ...options,
      signal,
    });
}

/**
 * @param {AbortSignal} [signal] - Ends a running command.
 * @returns {PlainCommand} Runs commands on this machine, as a user without rights.
 */
export function hostCommand(signal) {
  const isRoot = process.getuid() === 0;
  const asUser = ['setpriv', '--reuid', USER, '--regid', USER, '--clear-groups', '--no-new-privs'];
  return async (command, options) => {
    const directory = mkdtempSync(join(tmpdir(), 'sandboxed-ptc-fidelity-'));
    if (isRoot) chownSync(directory, Number(USER), Number(USER));
    const env = { PATH: PROGRAM_PATH, LANG: 'C.UTF-8', HOME: directory, TMPDIR: directory };
    try {
      const { stdout, stderr, ...end } = await collect(
        [...(isRoot ? asUser : []), ...underTime(options.seconds), ...command],
        { ...options, signal, cwd: directory, env },
      );
      const [out, err] = [stdout, stderr].map((text) => text.replaceAll(directory, '/tmp'));
      return { stdout: out, stderr: err, ...end };
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  };
}

/** The project's image. It is built if the engine does not have it. */
export async function prepareImage() {
  const { docker } = await findEngine(undefined);
  const onProgress = (message) => console.error(message);
  const { signal } = new AbortController();
  const runner = await readRunnerSource();
  const image = { docker, image: undefined, runner, onProgress, signal };
  return (await provideImage(image)).reference;
}

/** Whether the engine has an image. */
export async function hasImage(reference) {
  const { docker } = await findEngine(undefined);
  return docker
    .getImage(reference)
    .inspect()
    .then(
      () => true,
      () => false,
    );
}

function underTime(seconds) {
  return ['timeout', '--signal=KILL', String(seconds)];
}

function collect([file, ...args], { stdin = '', seconds, signal, cwd, env = process.env }) {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env, signal });
    const output = { stdout: [], stderr: [] };
    for (const [name, chunks] of Object.entries(output)) {
      child[name].on('data', (chunk) => chunks.push(chunk));
    }
    // It may end without reading its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
    child.once('error', reject);
    child.once('close', (exitCode) => {
      const isTimedOut = performance.now() - begun >= seconds * 1000;
      const [stdout, stderr] = Object.values(output).map((chunks) =>
        Buffer.concat(chunks).toString(),
      );
      resolve({ stdout, stderr, exitCode, isTimedOut });
    });
  });
}
