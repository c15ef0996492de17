import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { startTypeScript } from '../../support/typescript-process.ts';
import { uniqueKey } from '../../support/unique-key.ts';
import { texts } from '../store/shop.ts';
import { STORES, useDirectories } from '../store/stores.ts';
import { converse, says } from '../support.ts';
import { openTill } from './till.ts';

const PAYER = new URL('pay.ts', import.meta.url);
const makeDirectory = useDirectories();

const DONE = 'done, "paid"';
const UNKNOWN = 'it is not known whether this was done';
const NOT_MADE = 'deferred, and not made by then';

describe.each(STORES)('deferred calls of a conversation in $name', ({ name, open }) => {
  it.each([
    ['they are approved and none is made', 'approved', [], [NOT_MADE, NOT_MADE, NOT_MADE]],
    ['one of them is made', 'paying', [1, 2], [DONE, UNKNOWN, NOT_MADE]],
    ['it is not stored yet that one was made', 'paid', [1], [UNKNOWN, NOT_MADE, NOT_MADE]],
  ] as const)(
    'whose process is killed when %s are told as they are, and not made again',
    async (_, moment, paid, told) => {
      const directory = await makeDirectory();
      const sessionKey = uniqueKey('killed');
      const payer = startTypeScript(PAYER, name, directory, sessionKey, moment);
      const gone = once(payer, 'exit');
      expect(await once(createInterface(payer.stdout), 'line')).toEqual(['stopped']);
      payer.kill('SIGKILL');
      await gone;
      expect(amountsIn(directory, 'approved.txt')).toEqual([1, 2, 3]);
      expect(amountsIn(directory, 'paid.txt')).toEqual(paid);

      const { orchestrator, requests } = converse([says('I see.'), says('Nothing more.')], {
        ...openTill(directory),
        sessionKey,
        store: open(directory),
      });
      await orchestrator.run('Go on.');
      await orchestrator.run('And now?');
      for (const { messages } of requests) {
        expect(linesIn(texts(messages))).toEqual(
          told.map((outcome, index) => `pay({"amount":${index + 1}}): ${outcome}`),
        );
      }
      expect(amountsIn(directory, 'approved.txt')).toEqual([1, 2, 3]);
      expect(amountsIn(directory, 'paid.txt')).toEqual(paid);
    },
  );
});

function amountsIn(directory: string, file: string): readonly number[] {
  const found = path.join(directory, file);
  if (!existsSync(found)) return [];
  return readFileSync(found, 'utf8').trim().split('\n').map(Number);
}

/** What a text says of each payment, in the order of the amounts. */
function linesIn(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('pay('))
    .sort();
}
