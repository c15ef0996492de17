// What is measured: the name of each row, its floor and its goal.
import { CONVERSATION_ROWS } from './conversation-rows.mjs';
import { DATA_ROWS } from './data-rows.mjs';
import { TOOL_ROWS } from './tool-rows.mjs';

/**
 * @typedef {object} Goal - It has one of these properties.
 * @property {number} [ratioAtMost] - The largest ratio of the value to its floor.
 * @property {number} [ratioAtLeast] - The smallest ratio of the value to its floor.
 * @property {number} [extraAtMost] - How far the value may exceed its floor, in the row's unit.
 * @property {number} [atMost] - The largest value, in the row's unit.
 *
 * @typedef {object} Row
 * @property {string} name - Its name for `--only`.
 * @property {string} label
 * @property {string} unit
 * @property {'live' | 'starts' | 'alone'} group - Rows of one group are measured in turn, round after
 *   round. Rows of `alone` are measured once, separately.
 * @property {string} value - The measurement's name.
 * @property {string | number} [floor] - The name of the floor's measurement, or a figure.
 * @property {Record<string, Goal>} goals - By provider. Other providers have no goal.
 * @property {string} [only] - The only provider for which it is measured.
 * @property {string} [except] - The only provider for which it is not measured.
 * @property {'typescript' | 'bash'} [language] - The language of its programs. Python by default.
 * @property {boolean} [long] - Whether it takes minutes, and is measured only if requested.
 */

/**
 * The rows of each language other than Python.
 * @param {{ warm?: Partial<Row>, cold?: Partial<Row> }} own - What is different for two of them.
 * @returns {Row[]}
 */
function rowsOf(language, ending, title, own = {}) {
  const ofAll = { unit: 'ms', goals: {}, language };
  return [
    {
      ...ofAll,
      name: `RTT-${ending}`,
      label: `a tool call, one after another, in ${title}`,
      group: 'live',
      value: `roundTrip ${language}`,
      floor: 'echo',
    },
    {
      ...ofAll,
      name: `WARM-${ending}`,
      label: `a run in a live session, in ${title}`,
      group: 'live',
      value: `warm ${language}`,
      floor: 'echo',
      ...own.warm,
    },
    {
      ...ofAll,
      name: `COLD-${ending}`,
      label: `first result of a new sandbox, in ${title}`,
      group: 'starts',
      value: `cold ${language}`,
      floor: 'start',
      ...own.cold,
    },
  ];
}

/** @type {readonly Row[]} */
export const ROWS = [
  {
    name: 'FLOOD',
    label: 'host memory while 1 GB is printed',
    unit: 'MB',
    group: 'alone',
    value: 'flood',
    goals: { docker: { atMost: 32 }, bubblewrap: { atMost: 32 }, embedded: { atMost: 32 } },
  },
  {
    name: 'RTT',
    label: 'a tool call, one after another',
    unit: 'ms',
    group: 'live',
    value: 'roundTrip',
    floor: 'echo',
    goals: { docker: { ratioAtMost: 1.75 }, embedded: { ratioAtMost: 4 } },
  },
  {
    name: 'WARM',
    label: 'a run in a live session',
    unit: 'ms',
    group: 'live',
    value: 'warm',
    floor: 'echo',
    goals: { docker: { ratioAtMost: 2 } },
  },
  {
    name: 'LEAST',
    label: 'a run in the smallest relay and interpreter',
    unit: 'ms',
    group: 'live',
    value: 'leastRun',
    floor: 'echo',
    goals: {},
    only: 'docker',
  },
  {
    name: 'CPU',
    label: 'host processor time of a tool call',
    unit: 'ms',
    group: 'live',
    value: 'callProcessor',
    floor: 'echoProcessor',
    goals: { docker: { ratioAtMost: 2.5 } },
  },
  {
    name: 'PAR100',
    label: '100 tools of 50 ms at once',
    unit: 'ms',
    group: 'live',
    value: 'parallel100',
    floor: 50,
    goals: { docker: { atMost: 57 } },
  },
  {
    name: 'PAR1000',
    label: '1,000 tools of 50 ms at once',
    unit: 'ms',
    group: 'live',
    value: 'parallel1000',
    floor: 50,
    goals: { docker: { atMost: 150 } },
  },
  {
    name: 'BIG',
    label: 'a tool result of 10 MB',
    unit: 'ms',
    group: 'live',
    value: 'big',
    floor: 'echoBig',
    goals: { docker: { ratioAtMost: 1.2 } },
  },
  {
    name: 'COLD',
    label: 'first result of a new sandbox',
    unit: 'ms',
    group: 'starts',
    value: 'cold',
    floor: 'start',
    goals: { docker: { ratioAtMost: 1.25 }, bubblewrap: { ratioAtMost: 1.5 } },
  },
  {
    name: 'POOL',
    label: 'first result of a pooled sandbox, by WARM',
    unit: 'ms',
    group: 'starts',
    value: 'pooled',
    floor: 'warm',
    goals: {
      docker: { extraAtMost: 5 },
      bubblewrap: { extraAtMost: 5 },
      embedded: { extraAtMost: 5 },
    },
  },
  {
    name: 'RATE',
    label: 'sandboxes through the pool, start to removal',
    unit: '/s',
    group: 'starts',
    value: 'poolRate',
    floor: 'startRate',
    goals: { docker: { ratioAtLeast: 0.95 } },
  },
  {
    name: 'MEM',
    label: 'memory of one of 20 idle sessions',
    unit: 'MiB',
    group: 'alone',
    value: 'memory',
    floor: 'memory',
    goals: { docker: { atMost: 14 } },
  },
  {
    name: 'STOP',
    label: 'p99 from an abort to the result',
    unit: 'ms',
    group: 'alone',
    value: 'stop',
    goals: { docker: { atMost: 50 }, bubblewrap: { atMost: 50 }, embedded: { atMost: 50 } },
  },
  {
    name: 'STUCK',
    label: 'p99 of the same, of a program that heeds nothing',
    unit: 'ms',
    group: 'alone',
    value: 'stopStuck',
    goals: { docker: { atMost: 1050 }, bubblewrap: { atMost: 1050 }, embedded: { atMost: 1050 } },
  },
  {
    name: 'KILL',
    label: 'p99 of ending a session under such a program',
    unit: 'ms',
    group: 'alone',
    value: 'kill',
    goals: { docker: { atMost: 1000 }, bubblewrap: { atMost: 1000 }, embedded: { atMost: 1000 } },
  },
  {
    name: 'LARGE',
    label: 'processor time of a start in a host of 450 MiB',
    unit: 'ms',
    group: 'alone',
    value: 'largeHost',
    floor: 'smallHost',
    goals: { bubblewrap: { ratioAtMost: 1.25 } },
    only: 'bubblewrap',
  },
  ...DATA_ROWS,
  ...TOOL_ROWS,
  ...CONVERSATION_ROWS,
  {
    name: 'TENANTS',
    label: 'p99 of a tenant’s programs beside a flooding tenant',
    unit: 'ms',
    group: 'alone',
    value: 'tenants',
    floor: 'tenants',
    goals: { docker: { ratioAtMost: 1.5 }, bubblewrap: { ratioAtMost: 1.5 } },
    long: true,
  },
  {
    name: 'MANY',
    label: 'p99 of a run, many sessions, each once a second',
    unit: 'ms',
    group: 'alone',
    value: 'many',
    goals: { docker: { atMost: 25 } },
    long: true,
  },
  {
    name: 'HELD-MANY',
    label: 'host memory of one of many held programs that wait',
    unit: 'MiB',
    group: 'alone',
    value: 'heldPrograms',
    goals: { docker: { atMost: 1 }, bubblewrap: { atMost: 1 } },
    long: true,
  },
  {
    name: 'HOSTILE',
    label: 'p99 of the host’s loop delay under hostile data',
    unit: 'ms',
    group: 'alone',
    value: 'hostile',
    goals: { docker: { atMost: 50 }, bubblewrap: { atMost: 50 }, embedded: { atMost: 50 } },
    long: true,
  },
  ...rowsOf('typescript', 'TS', 'TypeScript', {
    warm: { floor: 'warm', goals: { bubblewrap: { ratioAtMost: 1.5 } } },
    cold: { floor: 'startNode', goals: { bubblewrap: { ratioAtMost: 2 } } },
  }),
  ...rowsOf('bash', 'SH', 'bash'),
];

/**
 * The rows to measure.
 * @param {string | undefined} only - Names separated by commas, in any case.
 * @param {boolean} long - Whether rows that take minutes are included.
 */
export function chooseRows(only, long) {
  if (only === undefined) return ROWS.filter((row) => long || row.long !== true);
  const names = only.split(',').map((name) => name.trim().toUpperCase());
  const known = ROWS.map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Error(`Unknown row: ${unknown.join(', ')}. Use some of ${known.join(', ')}.`);
  }
  return ROWS.filter(({ name }) => names.includes(name));
}
