import { guardedListener } from '../../shared/async/guarded-listener.ts';
import type { PtcError } from '../../shared/errors.ts';
import { redactEvent, type RedactFunction } from './event-redaction.ts';
import type { RunEventBody, RunListener } from './run-events.ts';
import { errorSummary } from './error-summary.ts';

/** Sends events to the listener of one run. */
export type EmitRunEvent = (event: RunEventBody) => void;

/** The event for a run that throws. */
export function runErrorEvent(error: PtcError): RunEventBody {
  return { type: 'run-error', error: errorSummary(error) };
}

/** Sends the events of one conversation's runs to their listeners. */
export class RunEventEmitter {
  readonly #redact: RedactFunction | undefined;

  constructor(redact: RedactFunction | undefined) {
    this.#redact = redact;
  }

  /**
   * @returns A function that adds the common properties to an event of one run and sends it to a
   *   listener.
   */
  to(listener: RunListener | undefined, runId: string): EmitRunEvent {
    const send = guardedListener(listener ?? (() => {}));
    const redact = this.#redact;
    let events = 0;
    return (event) => {
      const sent = redact === undefined ? event : redactEvent(event, redact);
      if (sent === undefined) return;
      events += 1;
      send({ ...sent, id: `${runId}-${events}`, runId, timeMs: Date.now() });
    };
  }
}
