// What `npm run bench:cluster` measures. Each row returns its figure and its floor.

import { burst } from './burst.mjs';
import { handOver, resume } from './outages.mjs';
import { memory } from './memory.mjs';
import { big, claim, cold, pool, roundTripRow, warmRow } from './sessions.mjs';

/** `goal` is the largest ratio to the floor, or with `more`, how much more than the floor. */
export const ROWS = [
  { name: 'RTT', label: 'tool call', unit: 'ms', measure: roundTripRow, goal: 2 },
  {
    name: 'WARM',
    label: 'small program in an open session',
    unit: 'ms',
    measure: warmRow,
    goal: 3,
  },
  { name: 'BIG', label: 'tool result of 10 MB', unit: 'ms', measure: big, goal: 1.3 },
  { name: 'COLD', label: 'first result of a new pod', unit: 'ms', measure: cold, goal: 1.15 },
  { name: 'CLAIM', label: 'first result of a claimed pod', unit: 'ms', measure: claim, goal: 2 },
  { name: 'POOL', label: 'first result, claimed ahead', unit: 'ms', measure: pool, more: 5 },
  { name: 'BURST', label: 'claims of four hosts, p99', unit: 'ms', measure: burst, goal: 1.2 },
  {
    name: 'HANDOVER',
    label: 'first result after a hand-over',
    unit: 'ms',
    measure: handOver,
    goal: 2,
  },
  {
    name: 'RESUME',
    label: 'from API server ready to a result, p99',
    unit: 'ms',
    measure: resume,
    more: 1000,
  },
  { name: 'MEM', label: 'idle pod', unit: 'MiB', measure: memory, more: 14 },
];

/** Says whether a row reached its goal, in the words of `printRows`. */
export function judge({ goal, more, unit }, { value, floor, notes = [] }) {
  if (more !== undefined) {
    return { unit, value, floor, goal: `+${more} ${unit}`, met: value - floor <= more, notes };
  }
  const ratio = value / floor;
  return { unit, value, floor, ratio, goal: `${goal}x`, met: ratio <= goal, notes };
}
