import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { defineTool } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { useExecutors } from './support.ts';

const make = useExecutors();

/** A line that takes several requests. */
function line(letter: string): string {
  return `${letter.repeat(300_000)}\n`;
}

it('what users of a session and its tools append at the same time stays together', async () => {
  // Programs of these tests run without a sandbox.
  const directory = `/tmp/${randomUUID()}`;
  onTestFinished(async () => rm(directory, { recursive: true, force: true }));
  const path = `${directory}/lines`;
  const log = defineTool({
    name: 'log',
    description: 'Adds a line.',
    run: async (_input, { files }) => files?.append(path, line('t')),
  });
  const { executor } = make({ tools: new ToolRegistry([log]) });
  const sessionKey = randomUUID();
  const [one, two] = [
    await executor.acquire({ sessionKey }),
    await executor.acquire({ sessionKey }),
  ];
  await one.files.write(path, '');
  const [result] = await Promise.all([
    one.execute('await log()'),
    one.files.append(path, line('a')),
    two.files.append(path, line('b')),
    two.files.append(path, 'c\n'),
    one.files.append(path, line('d')),
  ]);
  expect(result).toMatchObject({ status: 'ok' });
  const lines = (await one.files.readText(path)).split('\n').slice(0, -1);
  const summed = lines.map((text) => `${[...new Set(text)].join('')} ${text.length}`);
  const long = ['a', 'b', 'd', 't'].map((letter) => `${letter} 300000`);
  expect(summed.sort()).toEqual(['c 1', ...long].sort());
});
