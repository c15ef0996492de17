// Keeps the container engine of scripts/test-engine.sh up for as long as it is held.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watchContainers } from './leftovers.mjs';

/** The container engine of a test run: one that answers, or one that is started and ends with the run. */
export class Engine {
  #held;
  #containersLeft;

  /** Begins to start it. @returns nothing: `address` waits for it. */
  start() {
    this.#held ??= holdEngine().catch((error) => ({ error }));
  }

  /** @throws what the script said, if there can be no engine. */
  async address() {
    this.start();
    const { error, address } = await this.#held;
    if (error) throw error;
    this.#containersLeft ??= await watchContainers(address);
    return address;
  }

  /** The containers that have come since the engine was first asked for. */
  async containersLeft() {
    return (await this.#containersLeft?.()) ?? [];
  }

  /** @returns whether the engine goes on, because another run still uses it. */
  async release() {
    return (await (await this.#held)?.release?.()) ?? false;
  }
}

/**
 * Finds an engine or starts one. It stays while the pipe to the script's command is open, so it
 * ends with this process even when that is killed.
 * @returns its address, and what lets go of it.
 * @throws what the script said, where there can be no engine.
 */
async function holdEngine() {
  const child = spawn(
    'scripts/test-engine.sh',
    ['run', 'sh', '-c', 'echo "$DOCKER_HOST"; exec cat >/dev/null'],
    // Not in the group that a terminal interrupts: the engine ends after what uses it.
    { stdio: 'pipe', detached: true },
  );
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => (said += chunk));
  child.stdout.setEncoding('utf8');
  const closed = once(child, 'close');
  const address = await Promise.race([
    once(child.stdout, 'data').then(([text]) => text.trim()),
    closed.then(() => undefined),
  ]);
  if (address === undefined) throw new Error(said.trim());
  return {
    address,
    async release() {
      child.stdin.end();
      await closed;
      return said.includes('a run still uses the engine');
    },
  };
}
