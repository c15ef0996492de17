import { PacedListener } from '../../shared/listeners/paced-listener.ts';
import type { PtcError } from '../../shared/errors.ts';
import { redactEvent, type RedactFunction } from './event-redaction.ts';
import type { RunEventBody, RunListener } from './run-events.ts';
import { errorSummary } from './error-summary.ts';

/** Sends events to the listener of one run. */
export type EmitRunEvent = (event: RunEventBody) => void;

/** The events of one run, and how far its listener is. */
export interface RunEvents {
  readonly onEvent: EmitRunEvent;
  /** A promise that settles when the listener has taken all events. Undefined if it has. */
  readonly taken: () => Promise<unknown> | undefined;
}

/** The event for a run that throws. */
export function runFailedEvent(error: PtcError): RunEventBody {
  return { type: 'run-failed', error: errorSummary(error) };
}

/** Sends the events of one conversation's runs to their listeners. */
export class RunEventEmitter {
  readonly #redact: RedactFunction | undefined;

  constructor(redact: RedactFunction | undefined) {
    this.#redact = redact;
  }

  /**
   * @returns How to send the events of one run to a listener. The common properties are added to
   *   each.
   */
  to(listener: RunListener | undefined, runId: string): RunEvents {
    const paced = new PacedListener(listener);
    const redact = this.#redact;
    let events = 0;
    const onEvent = (event: RunEventBody): void => {
      const sent = redact === undefined ? event : redactEvent(event, redact);
      if (sent === undefined) return;
      events += 1;
      paced.tell({ ...sent, id: `${runId}-${events}`, runId, occurredAtMs: Date.now() });
    };
    return { onEvent, taken: () => paced.taken };
  }
}
