import { expect, it } from 'vitest';
import { SandboxExecutor } from '../../../../src/sessions/sandbox-executor.ts';
import { unisolatedLocalProvider } from '../../../support/local-provider.ts';

it('a dict of all arguments gives each parameter its value, also if only a special character makes two names different', async () => {
  const given: unknown[] = [];
  const names = ['start-date', 'start_date', 'class', 'class_'];
  await using executor = new SandboxExecutor({
    provider: unisolatedLocalProvider(),
    tools: [
      {
        name: 'find',
        description: 'Finds.',
        inputSchema: {
          type: 'object',
          properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
        },
        run: (input) => given.push(input),
      },
    ],
  });
  const session = await executor.acquire();
  const result = await session.execute(`
await find({"start-date": "a", "start_date": "b", "class": "c", "class_": "d"})
await find(start_date_2="a", start_date="b", class__2="c", class_="d")
await find("a", "b", "c", "d")`);
  const all = { 'start-date': 'a', start_date: 'b', class: 'c', class_: 'd' };
  expect(result).toMatchObject({ status: 'ok' });
  expect(given).toEqual([all, all, all]);
});
