import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type * as Sdk from '@modelcontextprotocol/client';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { inBackground } from '../../../shared/async/background.ts';
import { createDeferred } from '../../../shared/async/deferred.ts';
import { settledWithin } from '../../../shared/async/settled-within.ts';
import { given } from '../../../shared/given.ts';

/** How long to wait after the end of its input, after SIGTERM and after SIGKILL, in milliseconds. */
type Patience = readonly [afterInput: number, afterTerm: number, afterKill: number];
const PATIENCE: Patience = [2000, 2000, 2000];
/** A process that was started only to find out the revision has nothing to finish. */
const NO_PATIENCE: Patience = [0, 1000, 1000];

/** How long the rest of what an ended server has written is read, in milliseconds. */
const REST_MS = 100;

/** How often to look whether processes of an ended server are left, in milliseconds. */
const LOOK_MS = 50;

/** How much of what it is sent a server may leave unread, in bytes. */
const MAXIMUM_UNREAD = 64 * 2 ** 20;

/** What a `ServerProcess` needs. */
export interface ServerProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** All environment variables of the process. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** The longest message that is read, in bytes. */
  readonly maximumMessage: number;
  /** The package of the client, which is loaded only when it is used. */
  readonly sdk: Pick<typeof Sdk, 'ReadBuffer' | 'SdkError' | 'SdkErrorCode' | 'serializeMessage'>;
}

/**
 * A server in a process of its own, with a process group, which talks over its standard input and
 * output. The transport of the client ends only the process that it started, so a server behind `npx`
 * or a shell would stay; and it waits for the end of a server until all children of that have ended.
 */
export class ServerProcess implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** What a server prints there may contain its secrets, so it is dropped. */
  readonly stderr: null = null;
  readonly #program: ServerProgram;
  readonly #buffer: Sdk.ReadBuffer;
  #child: ChildProcessByStdio<Writable, Readable, null> | undefined;
  readonly #exited = createDeferred<undefined>();
  /** All that its processes have written was read. */
  readonly #released = createDeferred<undefined>();
  #isOver = false;
  /** Nothing of its process group is left. The system may give the number of the group to another one. */
  #isGone = false;
  #closing: Promise<void> | undefined;

  constructor(program: ServerProgram) {
    this.#program = program;
    this.#buffer = new program.sdk.ReadBuffer({ maxBufferSize: program.maximumMessage });
  }

  /**
   * The client finds out the revision in a second process, as with its own transport, if a transport
   * has this property, `_dispose`, `pid` and `stderr`. Some servers end when they are asked for it.
   */
  get _serverParams(): ServerProgram {
    return this.#program;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#program;
    const child = spawn(command, args, {
      env: { ...env },
      ...given({ cwd }),
      stdio: ['pipe', 'pipe', 'ignore'],
      // A process group of its own, so that all processes of the server can be ended.
      detached: true,
      windowsHide: true,
    });
    this.#child = child;
    const endSoon = (): void => void setTimeout(() => this.#end(), REST_MS);
    child.once('exit', () => {
      this.#exited.resolve(undefined);
      endSoon();
      // At once: later, what it has left might be gone, and others might have the number of its group.
      inBackground(this.close());
    });
    child.once('close', () => {
      this.#released.resolve(undefined);
      this.#end();
    });
    child.on('error', (error) => this.onerror?.(error));
    // It does not read any more.
    child.stdin.on('error', endSoon);
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    await once(child, 'spawn');
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { SdkError, SdkErrorCode, serializeMessage } = this.#program.sdk;
    const stdin = this.#child?.stdin;
    if (this.#isOver || stdin?.writable !== true) {
      throw new SdkError(SdkErrorCode.NotConnected, 'Not connected');
    }
    if (stdin.writableLength > MAXIMUM_UNREAD) {
      this.#giveUp();
      throw new SdkError(SdkErrorCode.SendFailed, 'The server does not read what it is sent');
    }
    return new Promise((resolve, reject) => {
      stdin.write(serializeMessage(message), (error) => {
        if (!error) resolve();
        else reject(new SdkError(SdkErrorCode.SendFailed, error.message));
      });
    });
  }

  async close(): Promise<void> {
    this.#closing ??= this.#endProcesses(PATIENCE);
    await this.#closing;
  }

  async _dispose(): Promise<void> {
    await this.#endProcesses(NO_PATIENCE);
  }

  #read(chunk: Buffer): void {
    if (this.#isOver) return;
    try {
      this.#buffer.append(chunk);
    } catch (error) {
      this.onerror?.(error as Error);
      this.#giveUp();
    }
    for (;;) {
      try {
        const message = this.#buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        this.onerror?.(error as Error);
      }
    }
  }

  /** The connection is over, whatever processes are left. */
  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.onclose?.();
  }

  #giveUp(): void {
    this.#end();
    inBackground(this.close());
  }

  async #endProcesses([afterInput, afterTerm, afterKill]: Patience): Promise<void> {
    const child = this.#child;
    if (child?.pid !== undefined) {
      child.stdin.end();
      if ((await this.#isLeftAfter(afterInput)) && this.#signal('SIGTERM')) {
        if ((await this.#isLeftAfter(afterTerm)) && this.#signal('SIGKILL')) {
          await settledWithin(this.#exited.promise, afterKill);
        }
      }
      // A process outside the group may hold these longer, which would keep this process alive.
      await settledWithin(this.#released.promise, REST_MS);
      child.stdin.destroy();
      child.stdout.destroy();
    }
    this.#end();
  }

  /** Whether a process of the group is left after a time, which ends earlier if none is. */
  async #isLeftAfter(timeMs: number): Promise<boolean> {
    const deadline = performance.now() + timeMs;
    if (!(await settledWithin(this.#exited.promise, timeMs))) return true;
    // Nothing tells when the others end.
    while (this.#signal(0)) {
      if (performance.now() >= deadline) return true;
      await delay(LOOK_MS);
    }
    return false;
  }

  /** Signals all processes of the group; 0 only looks for them. @returns whether there was one. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    if (this.#isGone || this.#child?.pid === undefined) return false;
    try {
      process.kill(-this.#child.pid, signal);
    } catch {
      this.#isGone = true;
    }
    return !this.#isGone;
  }
}
