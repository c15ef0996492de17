// The rows about files of a session, and about libraries for data.

/** @type {readonly import('./rows.mjs').Row[]} */
export const DATA_ROWS = [
  {
    name: 'FILE-RW',
    label: 'reading or writing 4 KB in a session, by RTT’s bound',
    unit: 'ms',
    group: 'live',
    value: 'smallFile',
    floor: 'roundTripBound',
    goals: {
      docker: { extraAtMost: 0.3 },
      bubblewrap: { extraAtMost: 0.3 },
      embedded: { extraAtMost: 0.3 },
    },
  },
  {
    name: 'FILE-BIG',
    label: '10 MB into a file of a session and back',
    unit: 'ms',
    group: 'live',
    value: 'bigFile',
    floor: 'echoBig',
    goals: {
      docker: { ratioAtMost: 1.5 },
      bubblewrap: { ratioAtMost: 1.5 },
      embedded: { ratioAtMost: 1.5 },
    },
  },
  {
    name: 'PLOT',
    label: 'the first plot of a session, matplotlib loaded with it',
    unit: 'ms',
    group: 'alone',
    value: 'plot',
    floor: 'plot',
    goals: { docker: { ratioAtMost: 1.3 }, bubblewrap: { ratioAtMost: 1.3 } },
    except: 'embedded',
  },
  {
    name: 'COLD-PANDAS',
    label: 'COLD with pandas installed and not used, by that without',
    unit: 'ms',
    group: 'alone',
    value: 'coldPandas',
    floor: 'coldPandas',
    goals: { docker: { ratioAtMost: 1.1 }, bubblewrap: { ratioAtMost: 1.1 } },
    except: 'embedded',
  },
];
