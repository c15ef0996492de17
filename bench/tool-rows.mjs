// The rows about many tools, and about tools of MCP servers.

/** @type {readonly import('./rows.mjs').Row[]} */
export const TOOL_ROWS = [
  {
    name: 'TOOLS',
    label: 'COLD with 1,000 tools, by that with 5',
    unit: 'ms',
    group: 'alone',
    value: 'toolsCold',
    floor: 'toolsCold',
    goals: { docker: { ratioAtMost: 1.15 }, bubblewrap: { ratioAtMost: 1.15 } },
  },
  {
    name: 'TOOLS-WARM',
    label: 'WARM with 1,000 tools, by that with 5',
    unit: 'ms',
    group: 'alone',
    value: 'toolsWarm',
    floor: 'toolsWarm',
    goals: { docker: { ratioAtMost: 1.15 }, bubblewrap: { ratioAtMost: 1.15 } },
  },
  {
    name: 'TOOLS-ADD',
    label: 'adding 1,000 tools to a registry',
    unit: 'ms',
    group: 'alone',
    value: 'toolsAdd',
    goals: { bubblewrap: { atMost: 150 } },
    only: 'bubblewrap',
  },
  {
    name: 'TOOLS-SEARCH',
    label: 'p95 of processor time, a search among 1,223 tools',
    unit: 'ms',
    group: 'alone',
    value: 'toolsSearch',
    goals: { bubblewrap: { atMost: 2 } },
    only: 'bubblewrap',
  },
  {
    name: 'MCP',
    label: 'a call of an MCP tool, by bare callTool and 1.3 RTT',
    unit: 'ms',
    group: 'alone',
    value: 'mcpCall',
    floor: 'mcpCall',
    goals: { docker: { ratioAtMost: 1 }, bubblewrap: { ratioAtMost: 1 } },
  },
];
