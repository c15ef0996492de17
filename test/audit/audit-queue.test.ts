import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/shared/json/json.ts';
import { Chain } from '../../src/audit/chain.ts';
import { AuditQueue } from '../../src/audit/queue.ts';

/** About four and a half of the records below. */
const LIMIT_BYTES = 1000;

it('counts a record as no smaller than its line, whatever characters are spelled out there', () => {
  for (const character of ['a', '\u007f', '\u009b', '\u202e', '\u{e0041}', '"', 'é', '😀']) {
    const queue = new AuditQueue(LIMIT_BYTES, (count) => ({ count }));
    queue.add({ text: character.repeat(1000) });
    const record = queue.take();
    const line = new Chain(undefined).seal(record?.fields ?? {});
    expect(record?.bytes).toBeGreaterThanOrEqual(line.length);
    expect(record?.bytes).toBeLessThan(line.length + 200);
  }
});

it('keeps what it has room for, in order, and counts the rest where it was [waiting/audit]', () => {
  const steps = fc.array(fc.constantFrom('add', 'add', 'add', 'drop', 'take'), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (given) => {
      const queue = new AuditQueue(LIMIT_BYTES, (count) => ({ count }));
      const taken: JsonObject[] = [];
      let added = 0;
      const take = (): boolean => {
        const next = queue.peek();
        const record = queue.take();
        expect(record).toBe(next);
        if (record !== undefined) taken.push(record.fields);
        return record !== undefined;
      };
      for (const step of given) {
        if (step === 'take') take();
        else {
          if (step === 'add' && !queue.isFull) queue.add({ number: added });
          else queue.drop();
          added += 1;
        }
      }
      let kept = 0;
      while (take()) kept += 1;
      // Five until it is full, the last with one that tells of those dropped before, and one that tells of those after.
      expect(kept).toBeLessThanOrEqual(7);
      expect(queue.isEmpty).toBe(true);
      // What was taken tells of each that was added, once and in order.
      let told = 0;
      for (const { number, count } of taken) {
        if (number === undefined) told += Number(count);
        else expect(number).toBe(told++);
      }
      expect(told).toBe(added);
    }),
  );
});

it('gives records back in order, while others come, and when it has removed those that were taken', () => {
  const queue = new AuditQueue(Infinity, (count) => ({ count }));
  const most = 5000;
  for (let number = 0; number < most; number++) queue.add({ number });
  const taken: unknown[] = [];
  for (let number = 0; number < most; number++) {
    if (number % 10 === 0) queue.add({ number: most + number / 10 });
    taken.push(queue.take()?.fields['number']);
  }
  expect(taken).toEqual(Array.from({ length: most }, (_, number) => number));
  expect(queue.length).toBe(most / 10);
  expect(queue.peek()?.fields).toEqual({ number: most });
});
