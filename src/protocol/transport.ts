import type { CallLimits } from './frames.ts';
import type { HostMessage, RunnerMessage } from './messages.ts';

/** How a transport tells of what arrives. */
export interface TransportListener {
  /**
   * A message came.
   * @param line - Its frame, without the line end. It may be part of a larger buffer: who keeps it makes a copy.
   */
  message(message: RunnerMessage, line: Buffer): void;
  /**
   * The other end is gone. Called once, after the last message.
   * @param error - Why, where it was not asked for: a violated frame, a broken stream.
   */
  closed(error: Error | undefined): void;
}

/** A two-way road of messages to a runner. Providers make them; nothing above knows what they run on. */
export interface Transport {
  /**
   * Starts delivery. What came before is delivered first. Called once.
   * @param calls - How large a tool call may be. A larger one ends the road before it is read.
   * @default `DEFAULT_CALL_LIMITS`
   */
  listen(listener: TransportListener, calls?: CallLimits): void;
  /** Queues a message. One sent after the end is dropped: `closed` tells of the end. */
  send(message: HostMessage): void;
  /** What the runner wrote outside any frame before it was ready, for error messages. At most 4 KiB. */
  diagnostics(): string;
  /** Cuts the road at once. */
  destroy(): void;
}
