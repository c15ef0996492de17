// The floor of Docker: the same container, with a bare program.

import { randomUUID } from 'node:crypto';
import { containerConfig } from '../dist/providers/docker/container/container-config.js';
import { StreamDemultiplexer } from '../dist/providers/docker/container/attach.js';
import { findEngine } from '../dist/providers/docker/engine/engine.js';
import { provideImage } from '../dist/providers/docker/image/image.js';
import { Ownership } from '../dist/sandbox/ownership/ownership.js';
import { removeContainer } from '../dist/providers/docker/container/remove-container.js';
import { readRunnerSource } from '../dist/sandbox/runner-command.js';
import { SandboxUsers } from '../dist/sandbox/sandbox-user.js';
import { seccompProfile } from '../dist/providers/docker/security/seccomp-profile.js';
import { DEFAULT_LIMITS } from '../dist/sandbox/sandbox.js';
import { Echo } from './echo.mjs';
import { LEAST_INTERPRETER, LeastInterpreter } from './least-interpreter.mjs';
import { timed } from './statistics.mjs';

// Both end when their input ends, and so with this process, however it ends.
const ECHO = 'import os\nwhile data := os.read(0, 1 << 20): os.write(1, data)';
const IDLE = 'import os\nos.write(1, b"1")\nos.read(0, 1)';
const IDLE_NODE = 'require("fs").writeSync(1, "1"); process.stdin.resume()';
const PYTHON = ['python3', '-I', '-S', '-c'];

export async function dockerFloor(onProgress) {
  const engine = await findEngine(undefined);
  const runner = await readRunnerSource();
  const image = await provideImage({
    docker: engine.docker,
    image: undefined,
    runner,
    onProgress,
    signal: new AbortController().signal,
  });
  // With an owner, as a provider sets it: if this process is killed, a sweep may remove what is
  // left.
  const ownership = new Ownership();
  const owner = await ownership.label();
  const seccomp = JSON.stringify(seccompProfile());
  const users = new SandboxUsers();
  const start = (program, onData, interpreter = PYTHON, reference = image.reference) => {
    const user = users.next();
    return startContainer(engine.docker, [...interpreter, program], onData, {
      image: reference,
      user: `${user}:${user}`,
      owner,
      seccomp,
    });
  };
  /** A container whose program has printed its first output. */
  const openIdle = async (program = IDLE, interpreter = PYTHON) => {
    let answer;
    const answered = new Promise((resolve) => {
      answer = resolve;
    });
    const container = await start(program, answer, interpreter);
    await answered;
    return container;
  };
  const startTimed = async (...command) => {
    let container;
    const duration = await timed(async () => {
      container = await openIdle(...command);
    });
    await container.close();
    return duration;
  };
  return {
    name: 'raw container',
    start: () => startTimed(),
    startNode: () => startTimed(IDLE_NODE, ['node', '-e']),
    async openEcho() {
      let echo;
      const container = await start(ECHO, (chunk) => echo.receive(chunk));
      echo = new Echo((data) => container.connection.write(data));
      return { echo, close: () => container.close() };
    },
    async openInterpreter() {
      let interpreter;
      const container = await start(LEAST_INTERPRETER, (chunk) => interpreter.receive(chunk));
      interpreter = new LeastInterpreter((data) => container.connection.write(data));
      return { runs: (count) => interpreter.runs(count), close: () => container.close() };
    },
    /** The time that a program takes from a byte of input to its second output, in an image. */
    async workTimed(program, reference) {
      let answer;
      const nextAnswer = () =>
        new Promise((resolve) => {
          answer = resolve;
        });
      const ready = nextAnswer();
      const container = await start(program, () => answer(), PYTHON, reference);
      await ready;
      const done = nextAnswer();
      const duration = await timed(async () => {
        container.connection.write('1');
        await done;
      });
      await container.close();
      return duration;
    },
    openIdle: () => openIdle(),
    async close() {
      engine.close();
      await ownership.release();
    },
  };
}

async function startContainer(docker, command, onData, options) {
  const spec = { sessionId: 'bench', languages: ['python'], limits: DEFAULT_LIMITS };
  const config = containerConfig(spec, {
    ...options,
    command,
    engine: 'docker',
    name: `sandboxed-ptc-bench-${randomUUID()}`,
    runtime: undefined,
  });
  const container = await docker.createContainer(config);
  const connection = await container.attach({
    stream: true,
    hijack: true,
    stdin: true,
    stdout: true,
    stderr: true,
  });
  const demultiplexer = new StreamDemultiplexer((_stream, chunk) => onData(chunk));
  connection.on('data', (chunk) => demultiplexer.push(chunk));
  await container.start();
  return {
    connection,
    async close() {
      connection.destroy();
      await removeContainer(container);
    },
  };
}
