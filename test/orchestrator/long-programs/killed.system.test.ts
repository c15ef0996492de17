import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { untilGone } from '../../providers/embedded/support.ts';
import { startTypeScript } from '../../support/typescript-process.ts';
import { uniqueKey } from '../../support/unique-key.ts';
import { fileStore } from '../../../src/orchestrator/store/file/file-store.ts';
import { useDirectories } from '../store/stores.ts';
import { converse, says, uses } from '../support.ts';

const makeDirectory = useDirectories();

it('of a program that still runs when its host is killed nothing is left, and the next host says so', async () => {
  const directory = await makeDirectory();
  const sessionKey = uniqueKey('killed');
  const host = startTypeScript(new URL('wait.ts', import.meta.url), directory, sessionKey);
  const gone = once(host, 'exit');
  const [line] = (await once(createInterface(host.stdout), 'line')) as [string];
  const pids = JSON.parse(line) as readonly number[];
  expect(pids).toHaveLength(2);
  host.kill('SIGKILL');
  await gone;
  await Promise.all(pids.map(async (pid) => untilGone(String(pid))));

  const turns = [
    ({ messages }: { readonly messages: readonly unknown[] }) => {
      const [, id = 'none'] = /Program (\w{8}) still runs/.exec(JSON.stringify(messages)) ?? [];
      return [uses('execute_code', { program: id })];
    },
    says('It is gone.'),
  ];
  const settings = { sessionKey, store: fileStore({ directory }), yieldAfterMs: 1 };
  const { orchestrator, requests, results } = converse(turns, settings);
  await orchestrator.run('How far is it?');
  expect(JSON.stringify(requests[0]?.messages)).toMatch(/begun|still runs/);
  const [told] = results(1);
  expect(told?.isError).toBe(true);
  expect(told?.text).toMatch(
    /^There is no program "\w{8}": .*nobody knows what it did after its last result/,
  );
});
