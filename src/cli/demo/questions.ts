import * as orders from './order-programs.ts';
import * as typescript from './typescript-programs.ts';

/** The languages of the script's programs. */
export type ScriptedLanguage = 'python' | 'typescript';

/** A program of the script, and the text before it. */
export interface ScriptedProgram {
  readonly remark: string;
  /** The same program in each language, and in Python with pandas and matplotlib. */
  readonly code: {
    readonly python: string;
    readonly pandas?: string;
    readonly typescript?: string;
  };
}

/** A question that the offline model can answer, with programs whose output the answer quotes. */
export interface ScriptedQuestion {
  readonly question: string;
  readonly programs: readonly ScriptedProgram[];
  /** The text before the output of the last program. */
  readonly opening: string;
}

const OVER_BUDGET = `\
import asyncio

STANDARD_BUDGET = 5_000

team = await get_team_members(department="engineering")
expenses = await asyncio.gather(*(
    get_expenses(employee_id=member["id"], quarter="Q3") for member in team
))

def is_travel(item):
    return item["category"] == "travel" and item["status"] == "approved"

travel = {
    member["name"]: [item for item in items if is_travel(item)]
    for member, items in zip(team, expenses)
}
spent = {
    name: sum(item["amount"] for item in items)
    for name, items in travel.items()
}

# Whoever kept to the standard budget needs no further look.
above = [member for member in team if spent[member["name"]] > STANDARD_BUDGET]
custom = await asyncio.gather(*(
    get_custom_budget(employee_id=member["id"]) for member in above
))

over = {}
for member, agreed in zip(above, custom):
    name = member["name"]
    budget = agreed["travel_budget"] if agreed else STANDARD_BUDGET
    if spent[name] > budget:
        over[name] = budget

print(f"{sum(map(len, expenses))} line items of {len(team)} people;", end=" ")
print(f"{len(above)} above the standard budget, {len(over)} over their own")`;

const WHERE_IT_WENT = `\
excess = {name: spent[name] - budget for name, budget in over.items()}
for name in sorted(excess, key=excess.get, reverse=True):
    largest = max(travel[name], key=lambda item: item["amount"])
    print(f"- {name}: \${spent[name]:,.2f} of \${over[name]:,},", end=" ")
    print(f"over by \${excess[name]:,.2f}")
    print(f"  largest: {largest['description']}, \${largest['amount']:,.2f}")`;

/** The question about expenses that the demo asks. */
const TEAM_EXPENSE_QUESTION: ScriptedQuestion = {
  question:
    'Who in the engineering department went over the Q3 travel budget? ' +
    'The standard budget is $5,000 a quarter, but some people have a custom one. ' +
    'Also name the largest travel expense of each.',
  programs: [
    {
      remark:
        'I fetch the expenses of the whole team at once, and look up custom budgets only for those above the standard one.',
      code: { python: OVER_BUDGET, typescript: typescript.OVER_BUDGET },
    },
    {
      remark: 'The session still has all of that, so this needs no further calls.',
      code: { python: WHERE_IT_WENT, typescript: typescript.WHERE_IT_WENT },
    },
  ],
  opening: 'Over their Q3 travel budget in engineering, by what the program printed:',
};

/** Counts in a variable how often it was asked. */
const COUNT_QUESTION: ScriptedQuestion = {
  question: 'How often was this asked in the same session?',
  programs: [
    {
      remark: 'A variable of the session can count that.',
      code: {
        typescript: typescript.COUNT,
        python: `\
try:
    asked += 1
except NameError:
    asked = 1
print(asked)`,
      },
    },
  ],
  opening: 'By the variable that the session keeps:',
};

/** The questions about expenses that can be answered without a model. */
export const SCRIPTED_QUESTIONS: readonly [ScriptedQuestion, ...ScriptedQuestion[]] = [
  TEAM_EXPENSE_QUESTION,
  {
    question: 'How much is still pending approval in each department in Q3?',
    programs: [
      {
        remark: 'I go through all departments and add up what is pending.',
        code: {
          typescript: typescript.PENDING,
          python: `\
import asyncio

for department in ["engineering", "sales", "marketing"]:
    team = await get_team_members(department=department)
    expenses = await asyncio.gather(*(
        get_expenses(employee_id=member["id"], quarter="Q3") for member in team
    ))
    items = [item for bundle in expenses for item in bundle]
    pending = [item for item in items if item["status"] == "pending"]
    total = sum(item["amount"] for item in pending)
    print(f"- {department}: {len(pending)} items, \${total:,.2f}")`,
        },
      },
    ],
    opening: 'Still pending in Q3:',
  },
  {
    question: 'Which airlines did the sales team pay most in Q3?',
    programs: [
      {
        remark: 'I add up the flights by airline.',
        code: {
          typescript: typescript.AIRLINES,
          python: `\
import asyncio
from collections import Counter

team = await get_team_members(department="sales")
expenses = await asyncio.gather(*(
    get_expenses(employee_id=member["id"], quarter="Q3") for member in team
))
airlines = Counter()
for items in expenses:
    for item in items:
        if "flight" in item["description"].lower():
            airlines[item["merchant"]] += item["amount"]
for airline, total in airlines.most_common():
    print(f"- {airline}: \${total:,.2f}")`,
        },
      },
    ],
    opening: 'What the sales team paid for flights in Q3:',
  },
  COUNT_QUESTION,
  {
    question: 'Count to sixty slowly, so that I can try Ctrl-C.',
    programs: [
      {
        remark: 'A number a second.',
        code: {
          typescript: typescript.SLOWLY,
          python: `\
import asyncio

for number in range(1, 61):
    print(number)
    await asyncio.sleep(1)`,
        },
      },
    ],
    opening: 'All sixty of them:',
  },
];

/** The questions about orders that can be answered without a model. */
export const DATA_QUESTIONS: readonly [ScriptedQuestion, ...ScriptedQuestion[]] = [
  {
    question:
      'In which region did revenue fall in 2025, and which category is the reason? ' +
      'Show its months.',
    programs: [
      {
        remark: 'I have the orders written to a file, and add them up by region and quarter.',
        code: { python: orders.QUARTERS, pandas: orders.QUARTERS_WITH_PANDAS },
      },
      {
        remark: 'The orders are still there, so I look at the months of the region that fell most.',
        code: { python: orders.DECLINE, pandas: orders.DECLINE_WITH_PANDAS },
      },
    ],
    opening: 'Where revenue fell in 2025, by what the program printed:',
  },
  COUNT_QUESTION,
];
