import { AnySignal } from '../../../shared/async/any-signal.ts';
import { createDeferred, type Deferred } from '../../../shared/async/deferred.ts';
import { onAbort } from '../../../shared/async/on-abort.ts';
import { asError } from '../../../shared/errors.ts';
import { type Channel, ChannelRefused, type OpenChannel } from './channel.ts';
import { packet, PacketReader, type SidecarPacket } from './packets.ts';

/** How often a connection is looked at, and a ping sent. */
const LOOK_MS = 5000;
/** The sidecar answers at once, so a channel that carries nothing after so many pings is taken for cut. */
const MOST_UNANSWERED = 2;

/** Shorter than the time after which others take a host that is silent for dead. */
const STILL_MS = 10_000;

/** How a connection is opened. */
export interface ConnectionOptions {
  readonly open: OpenChannel;
  /** The first packet. */
  readonly hello: Buffer;
  /** Fires if the sidecar has not accepted this host in time. Does nothing after that. */
  readonly late: AbortSignal;
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
  #isWelcome = false;
  /** How many pings were sent since anything has arrived. */
  #unanswered = 0;
  /** When the watch looked last, on the monotonic clock. */
  #lookedAt: number = performance.now();
  #isOver = false;
  readonly #watch: NodeJS.Timeout;

  private constructor(onPacket: ConnectionOptions['onPacket']) {
    this.#onPacket = onPacket;
    // The connection may be closed before anybody waits for the welcome.
    this.#welcome.promise.catch(() => undefined);
    this.#watch = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /**
   * Connects, and waits until the sidecar accepts this host.
   * @param signal - Ends the connection if it fires before that. The caller has no connection then
   * that it could close, and the sidecar would have a host as long as this process lives.
   * @throws ChannelRefused if another attempt is in vain, and any other error otherwise.
   */
  static async open(options: ConnectionOptions, signal: AbortSignal): Promise<SidecarConnection> {
    const connection = new SidecarConnection(options.onPacket);
    using within = new AnySignal(signal, options.late);
    const lateError = new Error('the sidecar has not answered in time');
    const stopListening = onAbort(within.signal, () => {
      connection.#end(signal.aborted ? undefined : lateError);
    });
    try {
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
      // What the channel says then is only that it was aborted.
      throw options.late.aborted && !signal.aborted ? lateError : error;
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
    this.#unanswered = 0;
    try {
      for (const next of this.#reader.push(bytes)) {
        if (next.kind === 'R') throw new ChannelRefused(next.body.toString());
        if (next.kind === 'W') this.#accept();
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

  #accept(): void {
    this.#isWelcome = true;
    this.#welcome.resolve();
  }

  #look(): void {
    if (this.#stoodStill()) return;
    this.#lookedAt = performance.now();
    // On a busy node, the sidecar is silent for longer until its relay has started.
    if (!this.#isWelcome) return;
    // Node runs timers before it reads. What has arrived by now is an answer too.
    if (this.#isUnanswered) setImmediate(() => this.#judge());
    this.#unanswered += 1;
    this.send(packet('P'));
  }

  get #isUnanswered(): boolean {
    return this.#unanswered >= MOST_UNANSWERED;
  }

  #judge(): void {
    if (this.#isUnanswered) {
      this.#end(new Error(`nothing has arrived for ${MOST_UNANSWERED * LOOK_MS} ms`));
    }
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
