import { AnySignal } from '../../../shared/async/any-signal.ts';
import { createDeferred, type Deferred } from '../../../shared/async/deferred.ts';
import { onAbort } from '../../../shared/async/on-abort.ts';
import { asError } from '../../../shared/errors.ts';
import { type Channel, ChannelRefused, type OpenChannel } from './channel.ts';
import { packet, PacketReader, type SidecarPacket } from './packets.ts';

/** The sidecar answers at once, so a channel that carries nothing for so long is taken for cut. */
const ANSWER_MS = 10_000;

/** Shorter than the time after which others take a host that is silent for dead. */
const STILL_MS = ANSWER_MS;

/** How a connection is opened. */
export interface ConnectionOptions {
  readonly open: OpenChannel;
  /** The first packet. */
  readonly hello: Buffer;
  /** Receives the packets, except answers to pings. What it throws ends the connection. */
  readonly onPacket: (packet: SidecarPacket, connection: SidecarConnection) => void;
}

/**
 * One connection to a sidecar. It asks for an answer if nothing has arrived for a while: servers in
 * between may keep a connection whose other end is gone.
 */
export class SidecarConnection {
  readonly #onPacket: ConnectionOptions['onPacket'];
  readonly #reader = new PacketReader();
  readonly #welcome: Deferred<void> = createDeferred();
  readonly #cut: Deferred<Error | undefined> = createDeferred();
  #channel: Channel | undefined;
  #isQuiet = false;
  /** When the watch looked last, on the monotonic clock. */
  #lookedAt: number = performance.now();
  #isOver = false;
  readonly #watch: NodeJS.Timeout;

  private constructor(onPacket: ConnectionOptions['onPacket']) {
    this.#onPacket = onPacket;
    // The connection may be closed before anybody waits for the welcome.
    this.#welcome.promise.catch(() => undefined);
    this.#watch = setInterval(() => this.#ask(), ANSWER_MS / 2).unref();
  }

  /**
   * Connects, and waits until the sidecar accepts this host.
   * @param signal - Ends the connection if it fires before that. The caller has no connection then
   * that it could close, and the sidecar would have a host as long as this process lives.
   * @throws ChannelRefused if another attempt is in vain, and any other error otherwise.
   */
  static async open(options: ConnectionOptions, signal: AbortSignal): Promise<SidecarConnection> {
    const connection = new SidecarConnection(options.onPacket);
    const stopListening = onAbort(signal, () => connection.close());
    try {
      using within = new AnySignal(signal, AbortSignal.timeout(ANSWER_MS));
      const listener = {
        data: (bytes: Buffer): void => connection.#receive(bytes),
        closed: (error: Error | undefined): void => connection.#end(error),
      };
      const channel = await options.open(listener, within.signal);
      connection.#channel = channel;
      if (connection.#isOver) channel.close();
      else channel.write(options.hello);
      await connection.#welcome.promise;
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    } finally {
      stopListening();
    }
  }

  /** Settles when the connection has ended: with the reason, if that is known. */
  get cut(): Promise<Error | undefined> {
    return this.#cut.promise;
  }

  /** Sends a packet. Does nothing after the end. */
  send(bytes: Buffer): void {
    if (!this.#isOver) this.#channel?.write(bytes);
  }

  /** Ends the connection, after what was sent. */
  close(): void {
    this.#end(undefined);
  }

  #receive(bytes: Buffer): void {
    if (this.#isOver) return;
    if (this.#stoodStill()) return;
    this.#isQuiet = false;
    try {
      for (const next of this.#reader.push(bytes)) {
        if (next.kind === 'R') throw new ChannelRefused(next.body.toString());
        if (next.kind === 'W') this.#welcome.resolve();
        if (next.kind !== 'P') this.#onPacket(next, this);
        if (this.#isOver) return;
      }
    } catch (error) {
      this.#end(asError(error));
    }
  }

  /**
   * Ends the connection if this process stood still for so long that another host may have the
   * sidecar. What has arrived meanwhile is not read: it may be of a program that was stopped. If no
   * other host has it, the sidecar sends it again over the next connection.
   */
  #stoodStill(): boolean {
    if (performance.now() - this.#lookedAt < STILL_MS) return false;
    this.#end(new Error(`this process stood still for ${STILL_MS} ms`));
    return true;
  }

  #ask(): void {
    if (this.#stoodStill()) return;
    this.#lookedAt = performance.now();
    if (this.#isQuiet) this.#end(new Error(`nothing has arrived for ${ANSWER_MS} ms`));
    this.#isQuiet = true;
    this.send(packet('P'));
  }

  #end(why: Error | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#watch);
    this.#channel?.close();
    this.#welcome.reject(why ?? new Error('the connection was closed'));
    this.#cut.resolve(why);
  }
}
