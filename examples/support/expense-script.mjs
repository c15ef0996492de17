// @ts-check
// What stands in for a model in team-expense-agent.mjs: it knows two questions. Its programs really
// run, and its answers are what they print.
import { callTool } from './model.mjs';

export const QUESTION =
  'Who in the engineering department went over the Q3 travel budget? The standard budget is $5,000, but some people have a custom one.';

export const QUESTION_ON_SESSION = 'What was the largest travel expense of each of them?';

/**
 * The programs for each question. The second one uses variables of the first.
 * @type {Readonly<Record<string, string>>}
 */
export const PROGRAMS = {
  [QUESTION]: `\
import asyncio

team = await get_team_members()
expenses = await asyncio.gather(*(get_expenses(employee_id=member["id"]) for member in team))

def is_travel(item):
    return item["category"] == "travel" and item["status"] == "approved"

travel = {
    member["id"]: [item for item in items if is_travel(item)]
    for member, items in zip(team, expenses)
}
spent = {id: sum(item["amount"] for item in items) for id, items in travel.items()}

# Whoever kept to the standard budget needs no further look.
above = [member for member in team if spent[member["id"]] > 5000]
custom = await asyncio.gather(*(get_custom_budget(employee_id=member["id"]) for member in above))
over = []
for member, budget in zip(above, custom):
    budget = budget or 5000
    excess = spent[member["id"]] - budget
    if excess > 0:
        over.append(member)
        print(f"- {member['name']}: \${spent[member['id']]:,} of \${budget:,}, over by \${excess:,}")`,
  [QUESTION_ON_SESSION]: `\
for member in over:
    largest = max(travel[member["id"]], key=lambda item: item["amount"])
    print(f"- {member['name']}: {largest['description']}, \${largest['amount']:,}")`,
};

/**
 * @param {import('sandboxed-ptc').ModelRequest} request
 * @returns {import('sandboxed-ptc').AssistantBlock[]}
 */
export function expenseScript({ messages }) {
  const last = messages.at(-1)?.content.at(-1);
  if (last?.type === 'tool-result') return [{ type: 'text', text: last.text.trimEnd() }];
  const code = last?.type === 'text' ? PROGRAMS[last.text] : undefined;
  return code === undefined
    ? [{ type: 'text', text: 'I am a script and not a model, so I do not know this question.' }]
    : callTool('I ask for all people at once.', 'execute_code', { code });
}
