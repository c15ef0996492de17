import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { afterAll, onTestFinished } from 'vitest';
import { createDeferred, type Deferred } from '../../src/shared/async/deferred.ts';

/** The Chromium of this machine; undefined if there is none. */
export const CHROMIUM: string | undefined = ['chromium', 'chromium-browser', 'google-chrome'].find(
  (name) => spawnSync(name, ['--version']).status === 0,
);

interface Reply {
  readonly id?: number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

/** A page in a browser without a window, which is closed with the test. */
export class Page {
  readonly #browser: Browser;
  readonly #sessionId: unknown;

  constructor(browser: Browser, sessionId: unknown) {
    this.#browser = browser;
    this.#sessionId = sessionId;
  }

  /** What an expression gives in the page, promises awaited. */
  async evaluate<Value>(expression: string): Promise<Value> {
    const { result, exceptionDetails } = (await this.#browser.send(
      'Runtime.evaluate',
      { expression, awaitPromise: true, returnByValue: true },
      this.#sessionId,
    )) as { result: { value: Value }; exceptionDetails?: unknown };
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return result.value;
  }

  /** What can be read on the page. */
  async text(): Promise<string> {
    return this.evaluate('document.body.innerText');
  }

  /** Clicks on the button with this name. */
  async click(name: string): Promise<void> {
    const all = "[...document.querySelectorAll('button')]";
    const found = `${all}.find((button) => button.textContent === ${JSON.stringify(name)})`;
    await this.evaluate(`${found}.click()`);
  }
}

/**
 * Starts Chromium with the first page of a file, steered by the DevTools protocol over two pipes, and ends it with the file.
 * @returns a function that opens an address. Each page has a profile of its own, so it knows nothing of the others.
 */
export function useBrowser(): (address: string) => Promise<Page> {
  let directory: string | undefined;
  let browser: Browser | undefined;
  afterAll(async () => {
    await browser?.close();
    if (directory) await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  });
  return async (address) => {
    directory ??= await mkdtemp(path.join(tmpdir(), 'ptc-browser-'));
    const started = (browser ??= new Browser(directory));
    const profile = await started.send('Target.createBrowserContext', {});
    onTestFinished(async () => {
      await started.send('Target.disposeBrowserContext', profile);
    });
    const { targetId } = await started.send('Target.createTarget', { url: address, ...profile });
    const { sessionId } = await started.send('Target.attachToTarget', { targetId, flatten: true });
    return new Page(started, sessionId);
  };
}

/** Messages are JSON texts, each followed by a zero byte (https://chromedevtools.github.io/devtools-protocol). */
class Browser {
  readonly #process: ChildProcess;
  readonly #waiting: Map<number, Deferred<Record<string, unknown>>> = new Map();
  #sent = 0;
  #rest = '';

  constructor(directory: string) {
    // Its own sandbox does not work for root. The only page that it sees is ours.
    const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
    this.#process = spawn(
      CHROMIUM ?? 'chromium',
      [...args, '--remote-debugging-pipe', `--user-data-dir=${directory}`, 'about:blank'],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
    );
    const incoming = this.#process.stdio[4] as Readable;
    incoming.setEncoding('utf8').on('data', (text: string) => this.#receive(text));
    this.#process.once('exit', (code) => {
      const error = new Error(`Chromium ended with the status ${code}.`);
      for (const waiting of this.#waiting.values()) waiting.reject(error);
    });
  }

  async send(
    method: string,
    params: object,
    sessionId?: unknown,
  ): Promise<Record<string, unknown>> {
    this.#sent += 1;
    const reply = createDeferred<Record<string, unknown>>();
    this.#waiting.set(this.#sent, reply);
    const message = {
      id: this.#sent,
      method,
      params,
      ...(sessionId !== undefined && { sessionId }),
    };
    (this.#process.stdio[3] as Writable).write(`${JSON.stringify(message)}\0`);
    return reply.promise;
  }

  async close(): Promise<void> {
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== null || signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.send('Browser.close', {}).catch(() => 'it ends before it answers');
    await ended;
  }

  #receive(text: string): void {
    const messages = (this.#rest + text).split('\0');
    this.#rest = messages.pop() ?? '';
    for (const message of messages) {
      const { id = 0, result = {}, error } = JSON.parse(message) as Reply;
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(result);
      else waiting?.reject(new Error(error.message));
    }
  }
}
