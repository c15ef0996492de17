// The floor of bubblewrap: `bwrap` with the fewest options that isolate anything, and a bare program.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PROGRAM_PATH } from '../dist/providers/bubblewrap/start/bwrap-arguments.js';
import { readMachine } from '../dist/providers/bubblewrap/check/machine.js';
import { echoOfChild } from './echo.mjs';
import { LEAST_INTERPRETER, LeastInterpreter } from './least-interpreter.mjs';
import { timed } from './statistics.mjs';

/** The modules that any supervisor and guest would load before the first program. */
const IMPORTS = 'import os, select, sys, time, site, types, json\nsite.main()\n';
// Both end when their input ends, and so with this process, however it ends.
const ECHO = 'import os\nwhile data := os.read(0, 1 << 20): os.write(1, data)';
const IDLE = `${IMPORTS}os.write(1, b"1")\nos.read(0, 1)`;
const IDLE_NODE = 'require("fs").writeSync(1, "1"); process.stdin.resume()';

/**
 * Started as root, `bwrap` would isolate nothing. It is started as this user, as the package does.
 */
const USER_ID = 20_000;

export async function bubblewrapFloor() {
  const { directories, links, configuration } = await readMachine('0.8.0');
  const walls = [
    ...['--unshare-all', '--die-with-parent', '--clearenv', '--setenv', 'PATH', PROGRAM_PATH],
    ...directories.flatMap((path) => ['--ro-bind', path, path]),
    ...links.flatMap(({ path, target }) => ['--symlink', target, path]),
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--chdir', '/tmp'],
  ];
  const startCommand = (...command) =>
    spawn('bwrap', [...walls, ...command], {
      env: { PATH: PROGRAM_PATH },
      stdio: ['pipe', 'pipe', 'inherit'],
      ...(process.getuid() === 0 && { uid: USER_ID, gid: USER_ID }),
    });
  const start = (program) => startCommand('python3', '-I', '-S', '-c', program);
  /** Libraries need what the system configures for them. */
  const startWithLibraries = (program) =>
    startCommand(
      ...configuration.flatMap((path) => ['--ro-bind', path, path]),
      ...['python3', '-I', '-S', '-c', program],
    );
  /** A sandbox whose program has printed its first output. */
  const startIdle = async (begin = () => start(IDLE)) => {
    const child = begin();
    await firstOutput(child);
    return child;
  };
  /** The time until it has. */
  const startTimed = async (begin) => {
    let child;
    const duration = await timed(async () => {
      child = await startIdle(begin);
    });
    await closeChild(child);
    return duration;
  };
  return {
    name: 'bare bwrap',
    start: () => startTimed(),
    startNode: () => startTimed(() => startCommand('node', '-e', IDLE_NODE)),
    async openEcho() {
      return echoOfChild(start(ECHO));
    },
    async openInterpreter() {
      const child = start(LEAST_INTERPRETER);
      const interpreter = new LeastInterpreter((data) => child.stdin.write(data));
      child.stdout.on('data', (chunk) => interpreter.receive(chunk));
      return { runs: (count) => interpreter.runs(count), close: () => closeChild(child) };
    },
    /** The time that a program takes from a byte of input to its second output. */
    async workTimed(program) {
      const child = await startIdle(() => startWithLibraries(program));
      const duration = await timed(async () => {
        child.stdin.write('1');
        await firstOutput(child);
      });
      await closeChild(child);
      return duration;
    },
    async openIdle() {
      const child = await startIdle();
      return { close: () => closeChild(child) };
    },
    close() {},
  };
}

async function firstOutput(child) {
  const ended = new AbortController();
  child.once('close', () => ended.abort(new Error('A program of the floor ended early.')));
  await once(child.stdout, 'data', { signal: ended.signal });
}

async function closeChild(child) {
  child.stdin.destroy();
  await once(child, 'close');
}
