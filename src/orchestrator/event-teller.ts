import { guardedListener } from '../shared/guarded-listener.ts';
import type { RunEventBody, RunListener } from './run-events.ts';

/** Tells listeners what happens in the runs of one conversation, whose events it counts. */
export class EventTeller {
  #events = 0;

  /** @returns what tells a listener of one run, with what every event has. */
  to(listener: RunListener | undefined, runId: string): (event: RunEventBody) => void {
    const tell = guardedListener(listener ?? (() => {}));
    return (event) => {
      this.#events += 1;
      tell({ ...event, id: this.#events, runId, timeMs: Date.now() });
    };
  }
}
