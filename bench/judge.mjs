// Compares a figure with its goal, and with an earlier run.

/** A row that became worse by more than this share is marked. */
const TOLERANCE = 0.1;

/**
 * A measured row in the form in which it is printed and saved.
 * @param {import('./rows.mjs').Row} row
 * @param {string} providerName
 * @param {{ value: number, floor?: number, notes?: readonly string[] }} measured
 */
export function judge(row, providerName, { value, floor, notes = [] }) {
  const ratio = floor === undefined ? undefined : value / floor;
  const goal = row.goals[providerName];
  return {
    unit: row.unit,
    value,
    floor,
    ratio,
    goal: goal && describeGoal(goal, row.unit),
    met: goal && meets(goal, value, floor),
    higherIsBetter: row.unit === '/s',
    notes,
  };
}

function meets(goal, value, floor) {
  if (goal.ratioAtMost !== undefined) return value <= goal.ratioAtMost * floor;
  if (goal.ratioAtLeast !== undefined) return value >= goal.ratioAtLeast * floor;
  if (goal.extraAtMost !== undefined) return value - floor <= goal.extraAtMost;
  return value <= goal.atMost;
}

function describeGoal(goal, unit) {
  if (goal.ratioAtMost !== undefined) return `≤ ${goal.ratioAtMost}x`;
  if (goal.ratioAtLeast !== undefined) return `≥ ${goal.ratioAtLeast}x`;
  if (goal.extraAtMost !== undefined) return `≤ +${goal.extraAtMost} ${unit}`;
  return `≤ ${goal.atMost} ${unit}`;
}

/**
 * The change of each row that both runs have. Rows with a floor compare their ratios to it, which
 * depend less on the state of the machine; other rows compare figures.
 * @returns {{ provider: string, name: string, before: number, after: number, change: number, worse:
 *   boolean }[]} `change` is the share by which the figure grew.
 */
export function compareRuns(earlier, later) {
  return Object.entries(later.providers).flatMap(([provider, { rows }]) =>
    Object.entries(rows).flatMap(([name, row]) => {
      const earlierRow = earlier.providers[provider]?.rows[name];
      if (earlierRow === undefined) return [];
      const before = earlierRow.ratio ?? earlierRow.value;
      const after = row.ratio ?? row.value;
      // Memory may shrink during a measurement; a ratio of negative figures means nothing.
      if (before <= 0 || after <= 0) return [];
      const change = after / before - 1;
      const loss = row.higherIsBetter ? before / after - 1 : change;
      return [{ provider, name, before, after, change, worse: loss > TOLERANCE }];
    }),
  );
}
