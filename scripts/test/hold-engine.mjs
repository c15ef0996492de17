// Keeps the container engine of scripts/test-engine.sh up for as long as it is held.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { killGroup } from './gate.mjs';
import { watchContainers } from './leftovers.mjs';

/**
 * The container engine of a test run: one that answers, or one that is started. It stays while the pipe to the script's
 * command is open, so it ends with this process even if that is killed.
 */
export class Engine {
  #process;
  #closed;
  #address;
  #said = '';
  #containersLeft;

  /** Begins to start it; `address` waits for it. */
  start() {
    if (this.#process !== undefined) return;
    const child = spawn(
      'scripts/test-engine.sh',
      ['run', 'sh', '-c', 'echo "$DOCKER_HOST"; exec cat >/dev/null'],
      // Not in the group that a terminal interrupts: the engine ends after what uses it.
      { stdio: 'pipe', detached: true },
    );
    child.stderr.setEncoding('utf8').on('data', (chunk) => (this.#said += chunk));
    child.stdout.setEncoding('utf8');
    this.#process = child;
    this.#closed = once(child, 'close');
    this.#address = Promise.race([
      once(child.stdout, 'data').then(([text]) => text.trim()),
      this.#closed.then(() => undefined),
    ]);
  }

  /** @throws what the script said, if there can be no engine. */
  async address() {
    this.start();
    const address = await this.#address;
    if (address === undefined) throw new Error(this.#said.trim());
    this.#containersLeft ??= await watchContainers(address);
    return address;
  }

  /** The containers that have come since the engine was first asked for. */
  async containersLeft() {
    return (await this.#containersLeft?.()) ?? [];
  }

  /** @returns whether the engine goes on, because another run still uses it. */
  async release() {
    if (this.#process === undefined) return false;
    this.#process.stdin.end();
    await this.#closed;
    return this.#said.includes('a run still uses the engine');
  }

  /** Ends it as well, if it is still being started: that may take a minute. */
  async interrupt() {
    const isStarted = Promise.race([this.#address, setImmediate(undefined)]);
    if (this.#process !== undefined && (await isStarted) === undefined) {
      killGroup(this.#process, 'SIGTERM');
    }
    await this.release();
  }
}
