import type { ReconnectionScheduler } from '@modelcontextprotocol/client';
import { LONGEST_DELAY_MS } from '../../../shared/options/option-values.ts';

/** A server may want its streams to be opened again at once, without end. */
const SHORTEST_PAUSE_MS = 100;

/** When the transport of the client opens streams again, of which a server may end many. */
export class Reconnections {
  readonly #timers: Set<NodeJS.Timeout> = new Set();
  #isOver = false;

  readonly schedule: ReconnectionScheduler = (reconnect, wantedMs) => {
    if (this.#isOver) return;
    // A timer for a longer time would fire at once.
    const pauseMs = Math.min(Math.max(wantedMs, SHORTEST_PAUSE_MS), LONGEST_DELAY_MS);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      reconnect();
    }, pauseMs);
    this.#timers.add(timer);
  };

  /** No stream is opened again. The transport itself only remembers the last one. */
  end(): void {
    this.#isOver = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
