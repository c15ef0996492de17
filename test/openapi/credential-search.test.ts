import { expect, it } from 'vitest';
import { SecretFilter } from '../../src/openapi/request/hide-secrets.ts';
import { costOfGrowth, LINEAR } from '../fuzz/judgements.ts';

const ANSWERS = 20;

it.each<[how: string, secretOf: (size: number) => string, almost: (secret: string) => string]>([
  ['its beginning', (size) => 'a'.repeat(size), (secret) => `${secret.slice(1)}%`],
  [
    'its beginning, in percent-encoding',
    (size) => '/'.repeat(size),
    (secret) => `${encodeURIComponent(secret.slice(1))}%`,
  ],
])('finds a credential in linear time if %s repeats', async (_how, secretOf, almost) => {
  const cost = await costOfGrowth(200, (size) => {
    const secret = secretOf(size);
    const answer = almost(secret).repeat(ANSWERS);
    expect(new SecretFilter([secret]).text(answer)).toBe(answer);
  });
  expect(cost).toBeLessThan(LINEAR);
});

it('finds where a credential is cut in linear time', async () => {
  const cost = await costOfGrowth(300, (size) => {
    const answer = `${`${'a'.repeat(size - 1)}%`.repeat(2)}!!`;
    expect(new SecretFilter(['a'.repeat(size)]).cutText(answer)).toBe(answer);
  });
  expect(cost).toBeLessThan(LINEAR);
});

it('finds many credentials in many texts in linear time', async () => {
  const cost = await costOfGrowth(60, (count) => {
    const secrets = Array.from({ length: count }, (_, at) => `secret-${at}!`);
    const texts = secrets.map((secret) => `${secret.slice(0, -1)}%`);
    expect(new SecretFilter(secrets).value(texts)).toEqual(texts);
  });
  expect(cost).toBeLessThan(LINEAR);
});

it('hides all of credentials that overlap each other or themselves', () => {
  const filter = new SecretFilter(['one-two', 'two-three', 'aaaaaa', 'my/key/of', 'key/of/mine']);
  expect(filter.text('(one-two-three)')).toBe('((removed))');
  expect(filter.text('(aaaaaaaaa)')).toBe('((removed))');
  expect(filter.text('(my%2Fkey/of%2fmine)')).toBe('((removed))');
  expect(filter.text('(one-twoone-two)')).toBe('((removed)(removed))');
  expect(filter.cutText('one-two-thr')).toBe('(removed)');
});
