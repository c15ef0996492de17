import type { CallLimits } from './frames.ts';
import type { HostMessage, RunnerMessage } from './messages.ts';

/** Receives what arrives on a transport. */
export interface TransportListener {
  /**
   * A message arrived.
   * @param line - Its frame, without the line end. It may be part of a larger buffer: copy it to
   * keep it.
   */
  message(message: RunnerMessage, line: Buffer): void;
  /**
   * The connection has ended. Called once, after the last message.
   * @param error - The reason if the host did not ask for the end, such as an invalid frame or a
   * broken stream.
   */
  closed(error: Error | undefined): void;
  /**
   * Whose program runs. Transports read large lines of each tenant in turn. All without a tenant are
   * one.
   * @default without a tenant
   */
  tenant?(): string | undefined;
}

/**
 * A bidirectional message channel to a runner. Providers create it, and nothing else knows what it
 * runs on.
 */
export interface Transport {
  /**
   * Starts delivery, with the messages that have already arrived. Called once.
   * @param calls - The limits of a tool call. A larger call ends the channel before it is read.
   * @default `DEFAULT_CALL_LIMITS`
   */
  listen(listener: TransportListener, calls?: CallLimits): void;
  /** Queues a message. After the end, it is dropped: `closed` reports the end. */
  send(message: HostMessage): void;
  /**
   * Settles when the runner has read most of what was sent, or the channel has ended. Undefined if
   * it has read it, as is usual, or if the channel cannot tell.
   */
  readonly taken?: Promise<void> | undefined;
  /**
   * What the runner wrote outside of frames before it was ready, for error messages. At most 4 KiB.
   */
  diagnostics(): string;
  /** Closes the channel at once. */
  destroy(): void;
}
