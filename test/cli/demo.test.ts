import { describe, expect, it } from 'vitest';
import { customBudget, expenseItems, teamMembers } from '../../src/cli/demo/expense-data.ts';
import { runCli } from '../support/built-package.ts';

const STANDARD_BUDGET = 5000;

const team = teamMembers('engineering').map((member) => {
  const items = expenseItems(member.id, 'Q3');
  const travel = items.filter(
    ({ category, status }) => category === 'travel' && status === 'approved',
  );
  const cents = travel.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0);
  const [largest] = travel.toSorted((left, right) => right.amount - left.amount);
  return { member, items, largest, spent: cents / 100, budget: customBudget(member.id) };
});
const above = team.filter(({ spent }) => spent > STANDARD_BUDGET);
const over = above.filter(
  ({ spent, budget }) => spent > (budget?.travel_budget ?? STANDARD_BUDGET),
);

/** The same calls made directly: arguments and results, at four characters a token. */
const directTokens = Math.ceil(
  [
    [{ department: 'engineering' }, teamMembers('engineering')],
    ...team.map(({ member, items }) => [{ employee_id: member.id, quarter: 'Q3' }, items]),
    ...above.map(({ member, budget }) => [{ employee_id: member.id }, budget]),
  ]
    .flat()
    .reduce<number>((sum, value) => sum + JSON.stringify(value).length, 0) / 4,
);

const dollars = (amount: number): string =>
  `$${amount.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

describe('demo', () => {
  it.each([
    ['Python', []],
    ['TypeScript', ['--language', 'typescript']],
  ])('finds in %s who went over the budget, as the books say', async (_name, options) => {
    const { status, stdout, stderr } = await runCli(['demo', ...options]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const answer = stdout.slice(stdout.lastIndexOf('Over their Q3 travel budget'));
    for (const { member, largest, spent, budget } of over) {
      const limit = budget?.travel_budget ?? STANDARD_BUDGET;
      expect(answer).toContain(
        `- ${member.name}: ${dollars(spent)} of $${limit.toLocaleString('en')}, over by ${dollars(spent - limit)}\n` +
          `  largest: ${largest?.description}, ${dollars(largest?.amount ?? 0)}\n`,
      );
    }
    expect(answer.match(/^- /gm)).toHaveLength(over.length);
    // Some have a custom budget that they kept to, and some one that they did not.
    expect(above.length).toBeGreaterThan(over.length);
    expect(over.some(({ budget }) => budget !== null)).toBe(true);
  });

  it('shows the model, the code, each call with its time, the output and the savings', async () => {
    const { stdout } = await runCli(['demo']);
    expect(stdout).toMatch(
      /^Model: +scripted offline model — no API key found; its programs really run$/m,
    );
    expect(stdout).toMatch(/^Sandbox: +(?:docker|bubblewrap|embedded) \(.+\)$/m);
    expect(stdout).toContain('  │ team = await get_team_members(department="engineering")\n');
    const calls = stdout.match(/^ {2}→ \w+\(.*\) +[\d.]+ m?s$/gm) ?? [];
    expect(calls).toHaveLength(1 + team.length + above.length);
    const itemCount = team.reduce((sum, { items }) => sum + items.length, 0);
    expect(stdout).toContain(`  │ ${itemCount} line items of ${team.length} people;`);
    const rows = new Map(
      stdout
        .slice(stdout.indexOf('  Model turns'))
        .split('\n')
        .map((line) => line.trim().split(/ {3,}/))
        .map(([label = '', value = '']) => [label, value]),
    );
    expect(rows.get('Model turns')).toBe('3');
    expect(rows.get('Tool calls')).toBe(String(calls.length));
    const context = Number(rows.get('Tokens of code and output in the context'));
    expect(context).toBeGreaterThan(0);
    expect(rows.get('Tokens of the same calls made directly')).toBe(
      `${directTokens.toLocaleString('en')}  ${Math.round(directTokens / context)}× as many`,
    );
    expect(rows.get('Wall time')).toMatch(/^[\d.]+ m?s$/);
  });

  it('goes on with questions in the same session with -i', async () => {
    const input = 'How often was this asked in the same session?\n/session\n';
    const { status, stdout } = await runCli(['demo', '-i'], { input });
    expect(status).toBe(0);
    expect(stdout).toMatch(/ on \w+: 3 programs, 13 tool calls/);
  });

  it('refuses a model that there is no key for', async () => {
    const { status, stderr } = await runCli(['demo', '--model', 'claude-opus-5-5']);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^error: --model claude-opus-5-5 needs ANTHROPIC_API_KEY/);
  });

  it('says that no sandbox works before any model is asked', async () => {
    const { status, stdout, stderr } = await runCli(['demo', '--provider', 'docker'], {
      env: { DOCKER_HOST: 'unix:///nonexistent' },
    });
    expect(status).toBe(1);
    expect(stdout).not.toContain('get_team_members');
    expect(stderr).toMatch(/^SANDBOX_UNAVAILABLE: docker: /);
  });
});
