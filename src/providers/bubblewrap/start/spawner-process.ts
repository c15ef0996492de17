import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { createDeferred, type Deferred } from '../../../shared/async/deferred.ts';
import { messageOf, PtcError } from '../../../shared/errors.ts';
import { PROGRAM_PATH } from './bwrap-arguments.ts';
import {
  openPipe,
  type ProcessEnd,
  SpawnedProcess,
  type SpawnerLink,
  type Streams,
} from './spawned-process.ts';

/** How much of the spawner's error output is kept. */
const MOST_ERROR_OUTPUT = 4096;

/** What a process needs, by the numbers of its file descriptors. */
export interface SpawnRequest {
  /** The id of its user and group. Undefined: those of this process. */
  readonly userId: number | undefined;
  /** Pipes that it reads. */
  readonly inputs: readonly number[];
  /** Pipes that it writes. */
  readonly outputs: readonly number[];
  /** Paths of files that it writes to. */
  readonly files: ReadonlyMap<number, string>;
}

interface Pending extends Deferred<SpawnedProcess> {
  readonly request: SpawnRequest;
}

/**
 * A small process that starts processes for this one (`runner/spawner/spawner.py`). If this process
 * started one itself, it would have to wait until the kernel has copied the page tables of all of
 * its memory.
 *
 * The spawner ends with this process, and kills everything that it started when it ends. It keeps
 * this process alive only while an answer is awaited.
 */
export class SpawnerProcess {
  /** Settles when the spawner has ended and all of its answers were read. Never rejects. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #onIdle: () => void;
  readonly #pending: Map<string, Pending> = new Map();
  /**
   * Processes that it started and has not reaped. Undefined is a process to which this process
   * could not connect.
   */
  readonly #started: Map<string, SpawnedProcess | undefined> = new Map();
  #lastId = 0;
  /** The beginning of an incomplete answer. */
  #received = '';
  #errorOutput = '';
  #references = 0;

  /**
   * @param source - The Python program of the spawner.
   * @param command - The command of each process that it starts.
   * @param onIdle - Called whenever the last of its processes has ended.
   * @throws Error of the system if it cannot be started.
   */
  constructor(source: string, command: readonly string[], onIdle: () => void) {
    this.#onIdle = onIdle;
    const child = spawn('python3', ['-I', '-S', '-B', '-c', source, ...command], {
      env: { PATH: PROGRAM_PATH },
      cwd: '/',
      stdio: ['pipe', 'pipe', 'pipe'],
      // A process group of its own, so that an interrupt in the terminal reaches only the host.
      detached: true,
    });
    this.#child = child;
    // The end of the process is handled separately.
    child.stdin.on('error', () => {});
    child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => this.#addErrorOutput(chunk.toString()));
    child.once('error', (error) => this.#addErrorOutput(error.message));
    this.ended = new Promise((resolve) => {
      child.once('close', (status: number | null, signal: NodeJS.Signals | null) => {
        this.#endAll(signal ?? `status ${status}`);
        resolve();
      });
    });
    this.#setReferenced(false);
  }

  isAlive(): boolean {
    const { pid, exitCode, signalCode } = this.#child;
    return pid !== undefined && exitCode === null && signalCode === null;
  }

  /** Whether none of its processes lives or is being started. */
  isIdle(): boolean {
    return this.#pending.size === 0 && this.#started.size === 0;
  }

  /** @throws PtcError `SANDBOX_START_FAILED` */
  async start(request: SpawnRequest): Promise<SpawnedProcess> {
    const id = String((this.#lastId += 1));
    const pending = { ...createDeferred<SpawnedProcess>(), request };
    this.#pending.set(id, pending);
    const { userId, inputs, outputs, files } = request;
    const streams = [
      ...inputs.map((descriptor) => `read ${descriptor}`),
      ...outputs.map((descriptor) => `write ${descriptor}`),
      ...Array.from(files, ([descriptor, path]) => `open ${descriptor} ${path}`),
    ];
    this.#send('start', id, userId === undefined ? '-' : String(userId), ...streams);
    const release = this.#hold();
    return pending.promise.finally(release);
  }

  /** Ends the spawner and everything that it started. */
  end(): void {
    // Keeps this process alive until the end, because a caller may wait for it.
    this.#hold();
    this.#child.kill('SIGKILL');
  }

  #send(...fields: readonly string[]): void {
    this.#child.stdin.write([...fields, ''].map((field) => `${field}\0`).join(''));
  }

  #receive(text: string): void {
    const lines = (this.#received + text).split('\n');
    this.#received = lines.pop() ?? '';
    for (const line of lines) {
      const [event, id = '', ...words] = line.split(' ');
      if (event === 'started') this.#connect(id, words.map(Number));
      else if (event === 'failed') this.#fail(id, words.join(' '));
      else this.#endOne(id, words);
    }
    if (this.isIdle()) this.#onIdle();
  }

  /**
   * Connects to a started process.
   * @param descriptors - The file descriptors of the host's ends of its pipes, in the spawner.
   */
  #connect(id: string, [processId = 0, ...descriptors]: readonly number[]): void {
    const pending = this.#pending.get(id);
    // If the spawner has ended, its id may belong to another process.
    if (pending === undefined || !this.isAlive()) return;
    this.#pending.delete(id);
    try {
      const streams = openPipes(this.#child.pid ?? 0, pending.request, descriptors);
      const started = new SpawnedProcess(processId, streams, this.#linkTo(id));
      this.#started.set(id, started);
      pending.resolve(started);
    } catch (error) {
      this.#started.set(id, undefined);
      this.#send('kill', id);
      pending.reject(startFailed(messageOf(error), error));
    }
    this.#send('opened', id);
  }

  #linkTo(id: string): SpawnerLink {
    let release: (() => void) | undefined;
    return {
      kill: () => this.#send('kill', id),
      setReferenced: (referenced) => {
        if (!referenced) release?.();
        release = referenced ? (release ?? this.#hold()) : undefined;
      },
    };
  }

  #fail(id: string, reason: string): void {
    this.#pending.get(id)?.reject(startFailed(reason));
    this.#pending.delete(id);
  }

  #endOne(id: string, [kind, text]: readonly string[]): void {
    const number = Number(text);
    const end: ProcessEnd =
      kind === 'signal'
        ? { status: null, signal: SIGNALS.get(number) ?? 'SIGKILL' }
        : { status: number, signal: null };
    this.#started.get(id)?.end(end);
    this.#started.delete(id);
    this.#send('reap', id);
  }

  /** The spawner has ended, and so has everything that it started. */
  #endAll(how: string): void {
    const [lastLine = ''] = this.#errorOutput.trim().split('\n').slice(-1);
    const reason = `the process that starts them ended (${how}) ${lastLine}`.trim();
    for (const id of this.#pending.keys()) this.#fail(id, reason);
    for (const started of this.#started.values()) started?.end({ status: null, signal: 'SIGKILL' });
    this.#started.clear();
  }

  #addErrorOutput(text: string): void {
    this.#errorOutput = (this.#errorOutput + text).slice(-MOST_ERROR_OUTPUT);
  }

  /** Keeps this process alive until the returned function is called. */
  #hold(): () => void {
    this.#references += 1;
    if (this.#references === 1) this.#setReferenced(true);
    return () => {
      this.#references -= 1;
      if (this.#references === 0) this.#setReferenced(false);
    };
  }

  #setReferenced(referenced: boolean): void {
    const streams = this.#child.stdio.filter((stream) => stream instanceof Socket);
    for (const handle of [this.#child, ...streams]) {
      if (referenced) handle.ref();
      else handle.unref();
    }
  }
}

const SIGNALS: ReadonlyMap<number, NodeJS.Signals> = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name as NodeJS.Signals]),
);

/** @throws Error of the file system. */
function openPipes(
  processId: number,
  { inputs, outputs }: SpawnRequest,
  descriptors: readonly number[],
): Streams {
  const streams = new Map<number, Socket>();
  try {
    for (const [index, number] of [...inputs, ...outputs].entries()) {
      const isForReading = index >= inputs.length;
      streams.set(number, openPipe(processId, descriptors[index] ?? -1, isForReading));
    }
    return streams;
  } catch (error) {
    for (const stream of streams.values()) stream.destroy();
    throw error;
  }
}

function startFailed(reason: string, cause?: unknown): PtcError {
  const message = `The process of a sandbox could not be started: ${reason}`;
  return new PtcError('SANDBOX_START_FAILED', message, { cause });
}
