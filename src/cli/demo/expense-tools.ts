import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod/v4';
import { defineTool } from '../../tools/define-tool.ts';
import type { Tool } from '../../tools/tool.ts';
import { customBudget, expenseItems, QUARTERS, teamMembers } from './expense-data.ts';

const employeeId = z.string().describe('Such as E101');

const expenseItem = z.object({
  id: z.string(),
  employee_id: z.string(),
  date: z.string().describe('YYYY-MM-DD'),
  category: z.enum(['travel', 'meals', 'software', 'equipment', 'training', 'office']),
  merchant: z.string(),
  description: z.string(),
  amount: z.number().describe('In US dollars'),
  currency: z.literal('USD'),
  status: z.enum(['approved', 'pending', 'rejected']),
  payment_method: z.string(),
  cost_center: z.string(),
  receipt_url: z.string(),
  approved_by: z.string().nullable(),
  notes: z.string(),
});

/** A mock expense service. Like a real one, it returns many items and takes some time. */
export const expenseTools: readonly Tool[] = [
  defineTool({
    name: 'get_team_members',
    description: 'Lists the people of a department.',
    inputSchema: z.object({
      department: z.string().describe('engineering, sales or marketing'),
    }),
    outputSchema: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        department: z.string(),
        title: z.string(),
        email: z.string(),
      }),
    ),
    inputExamples: [{ department: 'engineering' }],
    run: async ({ department }, { signal }) => {
      await delay(8, undefined, { signal });
      return teamMembers(department);
    },
  }),
  defineTool({
    name: 'get_expenses',
    description:
      'Returns every expense line item of one person in one quarter: dozens of them, by date. ' +
      'Only items with the status "approved" count towards a budget.',
    inputSchema: z.object({ employee_id: employeeId, quarter: z.enum(QUARTERS) }),
    outputSchema: z.array(expenseItem),
    inputExamples: [{ employee_id: 'E101', quarter: 'Q3' }],
    run: async ({ employee_id: id, quarter }, { signal }) => {
      const items = expenseItems(id, quarter);
      // Like a real service, it takes longer for more items.
      await delay(10 + items.length / 4, undefined, { signal });
      return items;
    },
  }),
  defineTool({
    name: 'get_custom_budget',
    description:
      'Returns the travel budget that was agreed with one person for a quarter, ' +
      'or null if the standard budget of 5000 US dollars applies.',
    inputSchema: z.object({ employee_id: employeeId }),
    outputSchema: z
      .object({
        employee_id: z.string(),
        travel_budget: z.number().describe('US dollars per quarter'),
        reason: z.string(),
        approved_by: z.string(),
      })
      .nullable(),
    inputExamples: [{ employee_id: 'E102' }],
    run: async ({ employee_id: id }, { signal }) => {
      await delay(12, undefined, { signal });
      return customBudget(id);
    },
  }),
];
