import type { RunListener } from '../../orchestrator/events/run-events.ts';
import type { Produced } from '../produced/produced.ts';
import type { RunView } from './run-view.ts';

/** Shows the events of runs in a view, with what their programs produce. */
export function followRun(view: RunView, produced: Produced): RunListener {
  const target = {
    line: (text: string) => view.produced(text),
    draw: (sequence: string) => view.draw(sequence),
  };
  return (event) => {
    view.show(event);
    if (event.type !== 'program-ended' || event.result === undefined) return undefined;
    return produced.take(event.result, target);
  };
}
