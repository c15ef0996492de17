import { expect, it } from 'vitest';
import { GrantProposals } from '../../../src/tools/policy/grants/grant-proposals.ts';

/** What is proposed with the last of these calls of one line. */
function proposedFor(...calls: readonly unknown[]): unknown {
  const proposals = new GrantProposals();
  const all = calls.map((sent) => proposals.propose('pay', 7, sent));
  expect(all[0]).toBeUndefined();
  return all.at(-1);
}

it.each([
  ['an object', { id: 5, of: ['a'] }],
  ['a list', ['a', { b: 1 }]],
  ['null', null],
  ['a long text', 'x'.repeat(1000)],
  ['false', false],
])('a proposal has %s that all calls have in common', (_, to) => {
  const call = (amount: number): object => ({ amount, to: structuredClone(to) });
  expect(proposedFor(call(1), call(2), call(3))).toEqual({ calls: 6, fields: { to } });
  expect(proposedFor(call(1), { amount: 2, to: 'other' })).toEqual({ calls: 4 });
  expect(proposedFor(call(1), { amount: 2 })).toEqual({ calls: 4 });
});

it('a proposal is not changed with the arguments, nor they with it', () => {
  const proposals = new GrantProposals();
  const sent = { to: { id: 5 } };
  proposals.propose('pay', 7, sent);
  const proposal = proposals.propose('pay', 7, sent);
  Object.assign(proposal?.fields?.['to'] as object, { id: 6 });
  expect(sent).toEqual({ to: { id: 5 } });
  expect(proposals.propose('pay', 7, sent)).toEqual({ calls: 6, fields: { to: { id: 5 } } });
});

it.each([
  [
    'more arguments than are compared',
    Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`n${index}`, index])),
  ],
  ['an argument whose name is too long', { ['n'.repeat(201)]: 1 }],
])('nothing is proposed for calls with %s, which it could leave out', (_, others) => {
  expect(proposedFor({ ...others, to: 'a' }, { ...others, to: 'a' })).toBeUndefined();
});
