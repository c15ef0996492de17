// The demo's programs in TypeScript, as a model would write them.

export const OVER_BUDGET = `\
const STANDARD_BUDGET = 5_000;

const team = await get_team_members({ department: 'engineering' });
const expenses = await Promise.all(
  team.map(({ id }) => get_expenses({ employee_id: id, quarter: 'Q3' })),
);

type Item = (typeof expenses)[number][number];
const isTravel = (item: Item) => item.category === 'travel' && item.status === 'approved';
const total = (items: Item[]) => items.reduce((sum, item) => sum + item.amount, 0);

const travel = new Map(team.map(({ name }, i) => [name, expenses[i].filter(isTravel)]));
const spent = new Map([...travel].map(([name, items]) => [name, total(items)]));

// Only people above the standard budget need a further check.
const above = team.filter(({ name }) => spent.get(name)! > STANDARD_BUDGET);
const custom = await Promise.all(
  above.map(({ id }) => get_custom_budget({ employee_id: id })),
);

const over = new Map<string, number>();
above.forEach(({ name }, i) => {
  const budget = custom[i]?.travel_budget ?? STANDARD_BUDGET;
  if (spent.get(name)! > budget) over.set(name, budget);
});

console.log(
  \`\${expenses.flat().length} line items of \${team.length} people; \` +
    \`\${above.length} above the standard budget, \${over.size} over their own\`,
);`;

export const WHERE_IT_WENT = `\
const dollars = (amount: number, maximumFractionDigits = 2) =>
  amount.toLocaleString('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits });
const excess = (name: string) => spent.get(name)! - over.get(name)!;

for (const name of [...over.keys()].sort((a, b) => excess(b) - excess(a))) {
  const [largest] = travel.get(name)!.toSorted((a, b) => b.amount - a.amount);
  const used = \`\${dollars(spent.get(name)!)} of \${dollars(over.get(name)!, 0)}\`;
  console.log(\`- \${name}: \${used}, over by \${dollars(excess(name))}\`);
  console.log(\`  largest: \${largest.description}, \${dollars(largest.amount)}\`);
}`;

export const PENDING = `\
for (const department of ['engineering', 'sales', 'marketing']) {
  const team = await get_team_members({ department });
  const expenses = await Promise.all(
    team.map(({ id }) => get_expenses({ employee_id: id, quarter: 'Q3' })),
  );
  const pending = expenses.flat().filter(({ status }) => status === 'pending');
  const total = pending.reduce((sum, { amount }) => sum + amount, 0);
  const dollars = total.toLocaleString('en-US', { style: 'currency', currency: 'USD' });
  console.log(\`- \${department}: \${pending.length} items, \${dollars}\`);
}`;

export const AIRLINES = `\
const team = await get_team_members({ department: 'sales' });
const expenses = await Promise.all(
  team.map(({ id }) => get_expenses({ employee_id: id, quarter: 'Q3' })),
);
const airlines = new Map<string, number>();
for (const { description, merchant, amount } of expenses.flat()) {
  if (!description.toLowerCase().includes('flight')) continue;
  airlines.set(merchant, (airlines.get(merchant) ?? 0) + amount);
}
for (const [airline, total] of [...airlines].sort((a, b) => b[1] - a[1])) {
  const dollars = total.toLocaleString('en-US', { style: 'currency', currency: 'USD' });
  console.log(\`- \${airline}: \${dollars}\`);
}`;

export const COUNT = `\
globalThis.asked = (globalThis.asked ?? 0) + 1;
console.log(asked);`;

export const SLOWLY = `\
for (let number = 1; number <= 60; number++) {
  console.log(number);
  await new Promise((resolve) => setTimeout(resolve, 1000));
}`;
