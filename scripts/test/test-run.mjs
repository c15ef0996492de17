// What the checks of one test run share: their environment, the screen, and the count.
import { command, runGate } from './gate.mjs';
import { Screen } from './screen.mjs';

/** They print no line for each file, but each failure. The one that counts is the last. */
const REPORTERS = [
  './test/support/skipped-reporter.ts',
  './test/support/progress-reporter.ts',
  'minimal',
  './test/support/reporter.ts',
].map((name) => `--reporter=${name}`);

const COSTS_REPORTER = '--reporter=./test/support/costs/costs-reporter.ts';

export class TestRun {
  total = { passed: 0, failed: 0, skipped: 0 };
  #screen = new Screen();
  #env;
  #signal;

  constructor(env, signal) {
    this.#env = env;
    this.#signal = signal;
  }

  /** @param run - Returns what it printed, or throws it. It gets a function for the lines of a command. */
  async check(name, run) {
    if (this.#signal.aborted) return;
    const counts = await runGate(this.#screen, name, run, this.#signal);
    for (const state of Object.keys(this.total)) this.total[state] += counts[state];
  }

  /** @param env - Beside the environment of the run. */
  async command(name, file, args, { env, timeoutMs } = {}) {
    await this.check(name, (onLine) =>
      command(file, args, {
        env: { ...this.#env, ...env },
        signal: this.#signal,
        timeoutMs,
        onLine,
      }),
    );
  }

  /** Runs tests with vitest. */
  async tests(name, args, options) {
    const costs = this.#env.SANDBOXED_PTC_TEST_COSTS ? [COSTS_REPORTER] : [];
    const all = ['run', '--no-color', ...costs, ...REPORTERS, ...args];
    await this.command(name, 'vitest', all, options);
  }
}

/** Starts the functions in their order, at most `most` at a time. */
export async function inTurn(most, functions) {
  const waiting = [...functions];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next();
  };
  await Promise.all(Array.from({ length: most }, worker));
}
