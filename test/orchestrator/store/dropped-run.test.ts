import { expect, it } from 'vitest';
import { converse, refusalOf, says } from '../support.ts';
import { texts } from './shop.ts';
import { MemoryStore } from './stores.ts';

it('a run that is to be discarded leaves nothing if its last entry cannot be written', async () => {
  const store = new MemoryStore();
  const { orchestrator } = converse([says('1'), says('2'), says('3')], {
    store,
    onFailure: 'discard',
  });
  await orchestrator.run('First.');
  store.beforeAppend = (entries) => {
    if (entries.some(({ type }) => type === 'run-ended')) throw new Error('The disk is full.');
  };
  const { code, details } = await refusalOf(orchestrator.run('Second.'));
  expect(code).toBe('STORE_FAILED');
  expect(texts(details['transcript'] as typeof orchestrator.messages)).toBe(
    'First.\n1\nSecond.\n2',
  );
  expect(texts(orchestrator.messages)).toBe('First.\n1');
  store.beforeAppend = () => {};
  await orchestrator.run('Third.');
  const whole = 'First.\n1\nThird.\n3';
  expect(texts(orchestrator.messages)).toBe(whole);
  const later = converse([], { store }).orchestrator;
  await later.load();
  expect(texts(later.messages)).toBe(whole);
});
