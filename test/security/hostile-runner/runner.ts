import { duplexPair, type Duplex } from 'node:stream';
import type { StreamTransport } from '../../../src/protocol/stream-transport.ts';
import { attachTransport } from '../../../src/providers/docker/container/attach.ts';
import { act, answerFile, endRun, start } from './acts.ts';
import type { Said } from './frames.ts';
import type { Ledger, RunRecord, SandboxRecord } from './ledger.ts';
import { SECRET } from './limits.ts';
import { chance, type Random } from './random.ts';

/** As the host's frames name what they carry. */
interface HostFrame {
  readonly execution_id?: string;
  readonly call_id?: string;
  readonly request_id?: string;
}

/**
 * A supervisor that wants to harm its host, at the other end of a real attach stream. What it says is
 * random, and the same for the same seed and the same answers.
 */
export class HostileRunner {
  readonly transport: StreamTransport;
  readonly record: SandboxRecord;
  readonly random: Random;
  /** The run that the host has asked for last. */
  run: RunRecord | undefined;
  readonly #end: Duplex;
  readonly #ledger: Ledger;
  readonly #timers: Set<NodeJS.Timeout> = new Set();
  #unread = '';

  constructor(sessionId: string, random: Random, ledger: Ledger) {
    this.random = random;
    this.#ledger = ledger;
    this.record = {
      sessionId,
      runs: [],
      cut: false,
      callsEndedBeforeClose: undefined,
      gone: false,
    };
    ledger.sandboxes.set(sessionId, this.record);
    const [hostEnd, ownEnd] = duplexPair();
    this.#end = ownEnd;
    this.transport = attachTransport(hostEnd, { reason: async () => undefined, stop: () => {} });
    hostEnd.once('close', () => {
      this.record.cut = true;
      this.stop();
    });
    ownEnd.setEncoding('utf8').on('data', (text: string) => this.#receive(text));
    ownEnd.on('error', () => {});
    setImmediate(() => start(this));
  }

  get sessionId(): string {
    return this.record.sessionId;
  }

  /** Says it, in parts and pieces as an engine might pass it on. */
  say(...all: readonly Said[]): void {
    for (const { stream, text } of all) {
      const bytes = Buffer.from(text);
      const size = chance(this.random, 100) ? this.random.integer(1, 40) : bytes.length;
      const parts: Buffer[] = [];
      for (let place = 0; place < bytes.length && parts.length < 200;) {
        const end = parts.length === 199 ? bytes.length : place + Math.max(size, 1);
        parts.push(part(stream === 'stdout' ? 1 : 2, bytes.subarray(place, end)));
        place = end;
      }
      this.write(Buffer.concat(parts));
    }
  }

  /** Writes bytes that need not be of an attach stream. */
  write(bytes: Buffer): void {
    if (this.#end.writable) this.#end.write(bytes);
  }

  /** Goes away. */
  leave(): void {
    if (this.#end.writable) this.#end.end();
  }

  later(delayMs: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, delayMs);
    this.#timers.add(timer);
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#end.destroy();
  }

  #receive(text: string): void {
    if (text.includes(SECRET)) this.#ledger.leaks.push(text.slice(0, 500));
    if (text.includes(import.meta.dirname)) this.#ledger.leaks.push(text.slice(0, 500));
    const lines = (this.#unread + text).split('\n');
    this.#unread = lines.pop() ?? '';
    for (const line of lines) this.#hear(line);
  }

  #hear(line: string): void {
    const match = /^__PTC_([A-Z_]+?)__(\{.*\})__PTC_END_/.exec(line);
    if (match === null) return;
    const [, kind, json = '{}'] = match;
    const {
      execution_id: executionId = '',
      call_id: callId = '',
      request_id: requestId = '',
    }: HostFrame = JSON.parse(json);
    if (kind === 'TOOL_RESULT') this.run?.replies.push(callId);
    if (kind === 'FILE_REQUEST') answerFile(this, requestId);
    if (kind === 'CANCEL') endRun(this, executionId);
    if (kind !== 'EXECUTE') return;
    this.run = {
      executionId,
      sessionId: this.sessionId,
      calls: new Set(),
      replies: [],
      handedBack: false,
      brokeProtocol: false,
      unpredictable: false,
      startedAtTick: this.#ledger.ticks,
      result: undefined,
      tookTicks: undefined,
    };
    this.record.runs.push(this.run);
    act(this, this.run);
  }
}

/** A part of an attach stream. */
function part(type: number, payload: Buffer): Buffer {
  const header = Buffer.from([type, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(payload.length, 4);
  return Buffer.concat([header, payload]);
}
