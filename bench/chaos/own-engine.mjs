// A separate engine that may be killed, because nobody else uses it.

import { execFile, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { access, readFile, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { signalProcessOf } from './kill.mjs';

const SCRIPT = fileURLToPath(new URL('../../scripts/test-engine.sh', import.meta.url));
const DIRECTORY = '/var/lib/sandboxed-ptc-chaos-engine';
/** Uses neither the engine of others nor the directory of the tests. */
const ENVIRONMENT = { ...process.env, SANDBOXED_PTC_ENGINE_DIRECTORY: DIRECTORY };
delete ENVIRONMENT.DOCKER_HOST;

const ENDED_WITHIN_MS = 60_000;
const LOOK_INTERVAL_MS = 50;
const SETTLE_MS = 5000;

const run = promisify(execFile);

/** Starts it. @throws Error if another engine would have been used. */
export async function startOwnEngine() {
  const { stdout } = await run(SCRIPT, ['start'], { env: ENVIRONMENT });
  const address = /^export DOCKER_HOST=(.*)$/m.exec(stdout)?.[1];
  if (address !== `unix://${DIRECTORY}/engine.sock`) {
    throw new Error(`The engine at ${address} exists already, and must not be killed.`);
  }
  const pidFile = `${DIRECTORY}/dockerd.pid`;
  /** Its command line; set while it is dead. */
  let commandLine;
  const isGone = (id) =>
    access(`/proc/${id}`).then(
      () => false,
      () => true,
    );
  function begin() {
    const log = openSync(`${DIRECTORY}/dockerd.log`, 'a');
    const [file, ...args] = commandLine;
    spawn(file, args, { detached: true, stdio: ['ignore', log, log] }).unref();
    closeSync(log);
    commandLine = undefined;
  }
  return {
    address,
    /** Ends it as an operator or a crash would, and returns when it is gone. */
    async end(signal) {
      const id = Number(await readFile(pidFile, 'utf8'));
      commandLine = await signalProcessOf(`${DIRECTORY}/engine.sock`, id, signal);
      await until('the engine has ended', () => isGone(id));
      // Otherwise, the next one takes this file as a sign that the old one is running.
      await rm(pidFile, { force: true });
    },
    /** Starts it again with all its data. It answers a little later. */
    begin,
    /**
     * Ends it for good. If it is dead, it is started first, so that it can remove its containers.
     */
    async stop() {
      if (commandLine !== undefined) {
        begin();
        await until('the engine is back', () => readFile(pidFile).then(Boolean, () => false));
        await delay(SETTLE_MS);
      }
      await run(SCRIPT, ['stop'], { env: ENVIRONMENT });
    },
  };
}

/** @throws Error if it does not become true in time. */
export async function until(what, isTrue, withinMs = ENDED_WITHIN_MS) {
  const deadline = performance.now() + withinMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`Not true within ${withinMs} ms: ${what}.`);
    await delay(LOOK_INTERVAL_MS);
  }
}
