// Apart from the scenarios, which the help does not need.

export const SCENARIO_NAMES = ['expenses', 'data'] as const;

export type ScenarioName = (typeof SCENARIO_NAMES)[number];
