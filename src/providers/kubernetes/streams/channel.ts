/** A connection to a sidecar, which can be cut at any time. */
export interface Channel {
  /** Sends bytes. Does nothing after the end. */
  write(bytes: Buffer): void;
  /** Ends it, after what was written. `closed` of the listener need not be called. */
  close(): void;
}

/** Receives what arrives on a channel. */
export interface ChannelListener {
  /** Bytes arrived. They are kept, so they must not be changed later. */
  data(bytes: Buffer): void;
  /** The channel was cut. Called once. @param error - Why, if that is known. */
  closed(error: Error | undefined): void;
}

/**
 * Opens a channel. It is called again after each cut.
 * @param signal - Fires if nobody waits for the channel any more.
 * @throws ChannelRefused if another attempt is in vain, and any other error otherwise.
 */
export type OpenChannel = (listener: ChannelListener, signal: AbortSignal) => Promise<Channel>;

/** No channel can be opened, now or later. */
export class ChannelRefused extends Error {
  override readonly name = 'ChannelRefused';
}
