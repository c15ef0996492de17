import { expect, it } from 'vitest';
import { ordersAsCsv } from '../../src/cli/demo/order-data.ts';
import { describeWithBubblewrap } from '../support/bubblewrap.ts';
import { runCli } from '../support/built-package.ts';
import { missingLibraries } from '../support/data-libraries.ts';
import { describeWithEngine } from '../support/engine.ts';
import { skippedFor } from '../support/skipped.ts';

const csv = ordersAsCsv();
const orders = csv
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line) => line.split(','))
  .map(([, date = '', region = '', category = '', quantity, price]) => ({
    month: Number(date.slice(5, 7)),
    region,
    category,
    revenue: Number(quantity) * Number(price),
  }));

type Order = (typeof orders)[number];

const revenueOf = (isCounted: (order: Order) => boolean): number =>
  orders.filter(isCounted).reduce((sum, { revenue }) => sum + revenue, 0);
const inQuarter = (region: string, quarter: number): number =>
  revenueOf((order) => order.region === region && Math.ceil(order.month / 3) === quarter);
const ofDesks = (month: number): string => {
  const revenue = revenueOf(
    (order) => order.region === 'West' && order.category === 'desk' && order.month === month,
  );
  return `$${Math.round(revenue).toLocaleString('en')}`;
};
const LOSS = Math.round(100 * (1 - inQuarter('West', 4) / inQuarter('West', 1)));
const ANSWER = `- West: ${LOSS}% less in Q4 than in Q1\n- desk: ${ofDesks(1)} in January, ${ofDesks(12)} in December\n`;
const CALL = [{ year: 2025 }, { path: '/tmp/orders.csv', rows: 50_000 }];
const TOKENS =
  Math.ceil(csv.length / 4) + Math.ceil(CALL.map((one) => JSON.stringify(one)).join('').length / 4);

/** Runs the demo, and checks all that does not depend on the libraries of the sandbox. */
async function runDemo(provider: string): Promise<string> {
  const { status, stdout, stderr } = await runCli([
    'demo',
    '--scenario',
    'data',
    '--provider',
    provider,
  ]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout.match(/^ {2}→ export_orders\(year=2025\) +[\d.]+ m?s$/gm)).toHaveLength(1);
  const quarters = [1, 2, 3, 4].map((quarter) => Math.round(inQuarter('West', quarter)));
  expect(stdout.replaceAll(/ +/g, ' ')).toContain(
    ` │ West ${quarters.map((sum) => sum.toLocaleString('en')).join(' ')}\n`,
  );
  expect(stdout.split(ANSWER)).toHaveLength(2);
  const [, used = '', direct] =
    /code and output in the context +(\d+)\n.* made directly, with the files +([\d,]+) +\d+× as many$/m.exec(
      stdout,
    ) ?? [];
  expect(direct).toBe(TOKENS.toLocaleString('en'));
  expect(Number(used)).toBeLessThan(1000);
  return stdout;
}

it('analyses a file of 50,000 orders without libraries in the embedded sandbox', async () => {
  const stdout = await runDemo('embedded');
  expect(stdout).toMatch(/^ {2}12 #+$/m);
  expect(stdout).not.toContain('image');
});

describeWithEngine('the demo with a file in a container', () => {
  it('does the same', async () => {
    expect(await runDemo('docker')).toMatch(/^ {2}12 #+$/m);
  });
});

describeWithBubblewrap('the demo with a file in bubblewrap', () => {
  it('uses pandas and shows the model a chart', skippedFor(missingLibraries()), async () => {
    const stdout = await runDemo('bubblewrap');
    expect(stdout).toContain('│ import pandas as pd\n');
    expect(stdout).toMatch(/^ {2}Not saved: image-1\.png\. To save .* add --output DIR\.$/m);
  });
});

it.each([
  [
    ['sales'],
    /^error: option '--scenario <name>' argument 'sales' is invalid\. Allowed choices are expenses, data\. /,
  ],
  [
    ['data', '--language', 'typescript'],
    /^error: --scenario data has no programs in typescript\. Use --language python\.$/m,
  ],
])('refuses --scenario %j', async (options, message) => {
  const { status, stdout, stderr } = await runCli(['demo', '--scenario', ...options]);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(message);
});

it('goes on with questions about the orders with -i', async () => {
  const args = ['demo', '--scenario', 'data', '--provider', 'embedded', '-i'];
  const { status, stdout } = await runCli(args, { input: '2\n/session\n' });
  expect(status).toBe(0);
  expect(stdout).toContain('By the variable that the session keeps:\n\n1\n');
  expect(stdout).toMatch(/ on embedded: 3 programs, 1 tool calls?;/);
});
