import { messageOf } from './errors.ts';

/** The listener, whose own errors end nothing: they become warnings of the process. */
export function guardedListener<Event>(listener: (event: Event) => void): (event: Event) => void {
  return (event) => {
    try {
      listener(event);
    } catch (error) {
      process.emitWarning(`An event listener threw: ${messageOf(error)}`);
    }
  };
}
