// @ts-check
// A mock expense service, with the tools that call it. Amounts are US dollars.
import { setTimeout as delay } from 'node:timers/promises';
import { defineTool } from 'sandboxed-ptc';
import * as z from 'zod';

const STANDARD_BUDGET = 5000;

/** The team, with the number of trips that each person makes in a quarter. */
const TEAM = [
  { id: 'E101', name: 'Aiko Tanaka', trips: 3 },
  { id: 'E102', name: 'Benoît Laurent', trips: 6 },
  { id: 'E103', name: 'Chidi Okafor', trips: 2 },
  { id: 'E104', name: 'Dana Weiss', trips: 8 },
  { id: 'E105', name: 'Elif Demir', trips: 1 },
  { id: 'E106', name: 'Farid Haddad', trips: 5 },
  { id: 'E107', name: 'Greta Lindqvist', trips: 2 },
  { id: 'E108', name: 'Hugo Santos', trips: 5 },
];

/** @type {Readonly<Record<string, number>>} */
const CUSTOM_BUDGETS = { E102: 12_000, E104: 9000 };

/**
 * All line items of one person in the quarter: a flight and a hotel for each trip, and small things.
 * @param {string} employeeId
 */
function expensesOf(employeeId) {
  const person = TEAM.findIndex(({ id }) => id === employeeId);
  const trips = TEAM[person]?.trips;
  if (trips === undefined) throw new Error(`There is no employee ${employeeId}.`);
  const drafts = Array.from({ length: trips }, (_, trip) => [
    {
      category: 'travel',
      description: 'Return flight',
      amount: 560 + 31 * ((3 * person + 2 * trip) % 11),
    },
    {
      category: 'travel',
      description: 'Hotel, 3 nights',
      amount: 480 + 23 * ((person * trip) % 7),
    },
  ]).flat();
  for (let day = 0; day < 40; day += 1) {
    drafts.push({ category: 'meals', description: 'Working lunch', amount: 12 + (day % 9) });
  }
  return drafts.map((draft, index) => ({
    id: `EXP-${employeeId}-${index + 1}`,
    employee_id: employeeId,
    ...draft,
    status: index % 11 === 10 ? 'pending' : 'approved',
    receipt_url: `https://receipts.example.com/Q3/${employeeId}/${index + 1}.pdf`,
  }));
}

const employee = z.object({ employee_id: z.string().describe('Such as E101') });

export const expenseTools = [
  defineTool({
    name: 'get_team_members',
    description: 'Lists the people of the engineering department.',
    inputSchema: z.object({}),
    outputSchema: z.array(z.object({ id: z.string(), name: z.string() })),
    run: () => TEAM.map(({ id, name }) => ({ id, name })),
  }),
  defineTool({
    name: 'get_expenses',
    description:
      'Returns all expense line items of one person in Q3. Only items with the status "approved" count towards a budget.',
    inputSchema: employee,
    outputSchema: z.array(
      z.object({
        id: z.string(),
        employee_id: z.string(),
        category: z.enum(['travel', 'meals']),
        description: z.string(),
        amount: z.number(),
        status: z.enum(['approved', 'pending']),
        receipt_url: z.string(),
      }),
    ),
    run: async ({ employee_id: id }, { signal }) => {
      await delay(20, undefined, { signal });
      return expensesOf(id);
    },
  }),
  defineTool({
    name: 'get_custom_budget',
    description: `Returns the travel budget of one person for Q3, or null for the standard budget of ${STANDARD_BUDGET}.`,
    inputSchema: employee,
    outputSchema: z.number().nullable(),
    run: ({ employee_id: id }) => CUSTOM_BUDGETS[id] ?? null,
  }),
];

/** The right answer, calculated here from the same data. */
export function namesOverBudget() {
  return TEAM.filter(({ id }) => {
    const spent = expensesOf(id)
      .filter(({ category, status }) => category === 'travel' && status === 'approved')
      .reduce((sum, { amount }) => sum + amount, 0);
    return spent > (CUSTOM_BUDGETS[id] ?? STANDARD_BUDGET);
  }).map(({ name }) => name);
}
