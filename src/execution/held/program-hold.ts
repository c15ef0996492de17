import type { RemoteCall } from '../../calls/tool-invocation.ts';
import { ProgramWait } from './program-wait.ts';
import { RemoteCalls } from './remote-calls.ts';

/** What is known of a program while it is held: whether it waits, and for which remote calls. */
export class ProgramHold {
  readonly #wait: ProgramWait;
  readonly remote: RemoteCalls;
  #onNews: () => void = () => {};
  #news = 0;

  constructor(
    wait: ProgramWait,
    clock: {
      /** Stops the time of the program while a call is open, for at most this long. */
      readonly hold: (callId: string, longestMs: number) => void;
      readonly letGo: (callId: string) => void;
    },
  ) {
    this.#wait = wait;
    wait.listen(() => this.#tell());
    this.remote = new RemoteCalls({
      opened: ({ callId, timeoutMs }: RemoteCall) => {
        clock.hold(callId, timeoutMs);
        this.#tell();
      },
      closed: (callId) => clock.letGo(callId),
      arrived: () => this.#tell(),
    });
  }

  /** Whether somebody has to answer a remote call before the program can go on. */
  get isWaiting(): boolean {
    return this.#wait.isWaiting && this.remote.size > 0 && !this.remote.areArriving;
  }

  /** Another number each time that there may be something new to report. */
  get news(): number {
    return this.#news;
  }

  /** Calls a function, the only one, when there may be something new to report. */
  listen(onNews: () => void): void {
    this.#onNews = onNews;
  }

  #tell(): void {
    this.#news += 1;
    this.#onNews();
  }
}
