import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { startTypeScript } from '../../support/typescript-process.ts';
import { converse, says } from '../support.ts';
import { STORES, useDirectories } from './stores.ts';
import { uniqueKey } from '../../support/unique-key.ts';

const SHARED = uniqueKey('shared');

const BUYER = new URL('buy.ts', import.meta.url);
const makeDirectory = useDirectories();

describe.each(STORES)('a conversation in $name of a process that has a run', ({ name, open }) => {
  it('waits until the process ends, and then goes on from what it did', async () => {
    const directory = await makeDirectory();
    const buyer = startTypeScript(BUYER, name, directory, SHARED);
    const gone = once(buyer, 'exit');
    const [line] = (await once(createInterface(buyer.stdout), 'line')) as [string];
    expect(line).toBe('ordering');

    const turn = (): ReturnType<typeof says> => says(buyer.signalCode ?? 'too early');
    const settings = { sessionKey: SHARED, store: open(directory) };
    const { orchestrator, requests } = converse([turn], settings);
    const running = orchestrator.run('How far are you?');
    const waiting = converse([says('Never.')], { sessionKey: SHARED, store: open(directory) });
    const signal = AbortSignal.timeout(1);
    await expect(waiting.orchestrator.run('Me too.', { signal })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    buyer.kill('SIGKILL');
    await gone;
    expect((await running).text).toBe('SIGKILL');

    const told = JSON.stringify(requests[0]?.messages);
    expect(told).toContain('Buy a desk and a piano.');
    expect(told).toContain(String.raw`order({\"item\":\"desk\"}): done, \"ordered\"`);
    expect(told).toContain(
      String.raw`order({\"item\":\"piano\"}): it is not known whether this was done`,
    );
    expect(await readFile(path.join(directory, 'orders.txt'), 'utf8')).toBe('desk\npiano\n');
  });
});
