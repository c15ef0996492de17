import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  ChannelListener,
  OpenChannel,
} from '../../../../src/providers/kubernetes/streams/channel.ts';
import { createDeferred, type Deferred } from '../../../../src/shared/async/deferred.ts';

/** A sidecar that answers a host only when the test does it in its place. */
export class SlowSidecar {
  /** The kinds of the packets that arrived, and whether the host closed the channel. */
  readonly seen: string[] = [];
  greeted: Deferred<ChannelListener> = createDeferred();
  readonly open: OpenChannel;

  constructor(onOpen: () => void = () => undefined) {
    this.open = async (listener) => {
      onOpen();
      // It opens, although the signal may have fired meanwhile.
      await nextTurn();
      return {
        write: (bytes) => {
          this.seen.push(bytes.toString('latin1', 0, 1));
          this.greeted.resolve(listener);
        },
        close: () => void this.seen.push('closed'),
      };
    };
  }
}
