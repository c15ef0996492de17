import { guardedListener } from '../shared/guarded-listener.ts';
import type { PtcError } from '../shared/errors.ts';
import { redactEvent, type RedactFunction } from './event-redaction.ts';
import type { RunEventBody, RunListener } from './run-events.ts';
import { toldError } from './told-error.ts';

/** Tells the listener of one run. */
export type RunTeller = (event: RunEventBody) => void;

/** What is told of a run that throws. */
export function runError(error: PtcError): RunEventBody {
  return { type: 'run-error', error: toldError(error) };
}

/** Tells listeners what happens in the runs of one conversation. */
export class EventTeller {
  readonly #redact: RedactFunction | undefined;

  constructor(redact: RedactFunction | undefined) {
    this.#redact = redact;
  }

  /** @returns what tells a listener of one run, with what every event has. */
  to(listener: RunListener | undefined, runId: string): RunTeller {
    const tell = guardedListener(listener ?? (() => {}));
    const redact = this.#redact;
    let events = 0;
    return (event) => {
      const told = redact === undefined ? event : redactEvent(event, redact);
      if (told === undefined) return;
      events += 1;
      tell({ ...told, id: `${runId}-${events}`, runId, timeMs: Date.now() });
    };
  }
}
