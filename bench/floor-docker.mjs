// What the container engine itself takes: the same container, with a bare program in it.

import { randomUUID } from 'node:crypto';
import { containerConfig, userOfSlot } from '../dist/providers/docker/container-config.js';
import { StreamDemultiplexer } from '../dist/providers/docker/attach.js';
import { findEngine } from '../dist/providers/docker/engine.js';
import { provideImage } from '../dist/providers/docker/image.js';
import { readRunnerSource } from '../dist/providers/docker/runner-command.js';
import { seccompProfile } from '../dist/providers/docker/seccomp-profile.js';
import { DEFAULT_LIMITS } from '../dist/sandbox/sandbox.js';
import { Echo } from './echo.mjs';
import { timed } from './statistics.mjs';

const ECHO = 'import os\nwhile True: os.write(1, os.read(0, 1 << 20))';
const IDLE = 'import time\nprint(1, flush=True)\ntime.sleep(1e9)';

export async function dockerFloor() {
  const engine = await findEngine(undefined);
  const runner = await readRunnerSource();
  const image = await provideImage({
    docker: engine.docker,
    image: undefined,
    runner,
    onProgress: () => {},
    signal: new AbortController().signal,
  });
  let slot = 0;
  const start = (program, onData) =>
    startContainer(engine.docker, image.reference, userOfSlot(slot++), program, onData);
  /** A container whose program said its first word. */
  const openIdle = async () => {
    let answer;
    const answered = new Promise((resolve) => {
      answer = resolve;
    });
    const container = await start(IDLE, answer);
    await answered;
    return container;
  };
  return {
    name: 'raw container',
    async start() {
      let container;
      const duration = await timed(async () => {
        container = await openIdle();
      });
      await container.close();
      return duration;
    },
    async openEcho() {
      let echo;
      const container = await start(ECHO, (chunk) => echo.receive(chunk));
      echo = new Echo((data) => container.connection.write(data));
      return { echo, close: () => container.close() };
    },
    openIdle,
    close: () => engine.close(),
  };
}

async function startContainer(docker, image, user, program, onData) {
  const spec = { sessionId: 'bench', language: 'python', limits: DEFAULT_LIMITS };
  const config = containerConfig(spec, {
    image,
    command: ['python3', '-I', '-S', '-c', program],
    user,
    owner: 'bench',
    engine: 'docker',
    seccomp: JSON.stringify(seccompProfile()),
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
      await container.kill();
      await container.wait({ condition: 'removed' }).catch(() => {});
    },
  };
}
