// The host's side of a process that tries inputs. Sends it one job at a time, and reports how it
// ended.

import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An input that needs more memory would end a host of this size. */
const HEAP_MEGABYTES = 512;
const MOST_KEPT = 4000;

export class ChildProcess {
  #process;
  #current;
  #said = '';
  #answer;

  /**
   * @param options - `targets` is the URL of their module, `directory` is writable, `name` is
   *   unique.
   */
  constructor({ targets, directory, name }) {
    this.#current = join(directory, `${name}.json`);
    this.#process = fork(new URL('child.mjs', import.meta.url), [String(targets), this.#current], {
      execArgv: [`--max-old-space-size=${HEAP_MEGABYTES}`],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#process.stderr.setEncoding('utf8').on('data', (text) => {
      this.#said = (this.#said + text).slice(-MOST_KEPT);
    });
    this.#process.on('message', (message) => this.#answer?.({ answer: message }));
    // `close` and not `exit`, so that all its output is read.
    this.#process.once('close', (status, signal) => this.#answer?.({ ended: { status, signal } }));
  }

  /** Waits until it has loaded its targets. */
  async ready() {
    return this.#next();
  }

  /** @returns `answer`, or, if the process ended, `death` with the reason and the input. */
  async ask(job) {
    this.#process.send(job);
    return this.#next();
  }

  kill() {
    this.#process.kill('SIGKILL');
  }

  async #next() {
    const { answer, ended } = await new Promise((resolve) => {
      this.#answer = resolve;
    });
    this.#answer = undefined;
    if (ended === undefined) return { answer };
    return { death: { ...describeEnd(ended, this.#said), current: this.#tried() } };
  }

  #tried() {
    const [line] = readFileSync(this.#current, 'utf8').split('\n');
    return line === '' ? {} : JSON.parse(line);
  }
}

function describeEnd({ status, signal }, said) {
  if (signal === 'SIGKILL') return { isHang: true, why: 'it did not end' };
  const line = said.split('\n').find((each) => /FATAL ERROR|^\w*Error/.test(each));
  return { isHang: false, why: `the process ended with ${signal ?? status}: ${line ?? said}` };
}
