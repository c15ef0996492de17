import assert from 'node:assert/strict';
import type { LanguageName } from '../../protocol/messages.ts';
import { assertMatches } from '../assert-matches.ts';
import { checkCall } from './check-call.ts';
import { isOfCall, summaryOf } from './entries.ts';
import type { PolicyTestGroup } from './policy-test.ts';
import { WAY_PROGRAMS } from './programs.ts';
import { BUDGETS } from './shop.ts';

const DEFERRED = [
  /^tool-call-deferred: a person looks$/,
  /^approval-requested: a person looks$/,
] as const;

/** Several calls of one program, and calls that are made when it has ended. */
export function programCalls(language: LanguageName): PolicyTestGroup {
  const { crowd, endless } = WAY_PROGRAMS[language];
  return {
    name: 'calls of programs',
    tests: [
      {
        title: 'a call waits if the program has as many in progress as it may have',
        run: async (bench) => {
          await bench.run(crowd('shop:meet', { amount: 1 }));
          const ended = Array.from({ length: 6 }, () => 'tool-call-ended ok');
          assert.deepEqual(bench.shop.entries.filter(isOfCall).map(summaryOf), ended);
          const { mostAtOnce } = bench.shop;
          assert.ok(mostAtOnce <= BUDGETS.concurrentToolCalls, `${mostAtOnce} ran at a time.`);
        },
      },
      {
        title: 'calls that are made at the same time are asked about together',
        run: async (bench) => {
          const { shop } = bench;
          await bench.run(crowd('shop:ship', { amount: 1 }));
          assert.equal(shop.ran.length, 6);
          const each = ['approval-decided approved', 'approval-requested', 'tool-call-ended ok'];
          const summaries = shop.entries.filter(isOfCall).map(summaryOf);
          assert.deepEqual(
            summaries.map((summary) => summary.replace(': a person looks', '')).toSorted(),
            each.flatMap((summary) => Array.from({ length: 6 }, () => summary)),
          );
          // A shell starts processes one after another, and nobody knows whether it waits.
          if (language === 'bash') assert.ok(shop.batches.length > 0);
          else assert.deepEqual(shop.batches, [6]);
        },
      },
      {
        title: 'a call that is deferred is asked about and made when its program has ended',
        run: async (bench) =>
          checkCall(bench, {
            ...{ tool: 'shop:book', amount: 1, told: /deferred/, ran: 1 },
            entries: [
              ...DEFERRED,
              /^approval-decided approved: a person looks$/,
              /^tool-call-ended ok$/,
            ],
          }),
      },
      {
        title: 'a call that is deferred and that the approver rejects is not made',
        run: async (bench) =>
          checkCall(bench, {
            ...{ tool: 'shop:book', amount: 2, told: /deferred/, ran: undefined },
            entries: [
              ...DEFERRED,
              /^approval-decided rejected: not this one$/,
              /^tool-call-ended Rejected$/,
            ],
          }),
      },
      {
        title: 'a call that a grant covers does not ask, and counts',
        run: async (bench) => {
          const { shop } = bench;
          await bench.run(endless('shop:sell', { amount: 6 }));
          assert.equal(shop.ran.length, BUDGETS.toolCalls);
          const decided = shop.entries.filter(({ type }) => type.startsWith('approval-'));
          const covered = Array.from({ length: BUDGETS.toolCalls - 1 }, () => 'approval-granted');
          assert.deepEqual(
            decided.map(({ type }) => type),
            ['approval-requested', 'approval-decided', ...covered],
          );
          const ids = decided
            .slice(1)
            .map((entry) => ('grantId' in entry ? entry.grantId : undefined));
          assertMatches([...new Set(ids)], [/./]);
          assert.deepEqual(bench.grants.active, [], 'The grant must end with the program.');
        },
      },
      {
        title: 'a call does not run if the program has made as many as it may make',
        run: async (bench) => {
          const { told } = await bench.run(endless('shop:pay', { amount: 1 }));
          assert.match(told, /TooManyToolCalls/);
          assert.equal(bench.shop.ran.length, BUDGETS.toolCalls);
          const ended = bench.shop.entries.filter(({ type }) => type === 'program-ended');
          assertMatches(ended, [{ status: 'budget-exceeded' }]);
        },
      },
    ],
  };
}
