import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventsOf } from '../../src/orchestrator/events/event-stream.ts';
import { fixedRuns } from './fixed-runs.ts';
import { MANY_TURNS, scenes, settle, WaitingProgram } from './waiting-program.ts';

describe('calls whose data waits for others', () => {
  it('stay within the bounds of each place, and are all answered once when everybody goes on', async () => {
    const property = fc.asyncProperty(scenes, async (scene) => {
      const { calls, closed, abortsAfter = Infinity } = scene;
      const program = new WaitingProgram(scene);
      const running = program.start();
      for (const [opened, gate] of [...closed, undefined].entries()) {
        await settle();
        expect(program.excess).toEqual([]);
        if (opened === abortsAfter) program.stop.abort();
        if (gate !== undefined) program.open(gate);
      }
      const answered = (): boolean => program.answers.length === calls.length;
      await settle(answered, MANY_TURNS);
      const ids = calls.map((_, index) => `c${index}`);
      expect(program.answers.toSorted()).toEqual(ids.toSorted());
      const { ran } = program;
      program.end();
      const isAborted = program.stop.signal.aborted;
      expect(await running).toMatchObject({ status: isAborted ? 'cancelled' : 'ok' });
      await settle();
      expect(program.ran).toBe(ran);
      const known = calls.filter(({ tool }) => tool !== 'missing').length;
      if (isAborted) expect(ran).toBeLessThanOrEqual(known);
      else expect(ran).toBe(known);
    });
    await fc.assert(property, fixedRuns(100));
  });

  it('start nothing any more if their program ends first, whomever they wait for', async () => {
    const property = fc.asyncProperty(scenes, async (scene) => {
      const program = new WaitingProgram(scene);
      const running = program.start();
      await settle();
      program.end();
      expect(await running).toMatchObject({ status: 'ok' });
      const { ran } = program;
      for (const gate of scene.closed) program.open(gate);
      await settle();
      expect(program.ran).toBe(ran);
      expect(new Set(program.answers).size).toBe(program.answers.length);
    });
    await fc.assert(property, fixedRuns(60));
  });
});

describe('events that wait for the reader of a stream', () => {
  const LIMIT_BYTES = 4 * 1024 * 1024;
  const LARGEST = 400_000;

  it('take bounded memory at any pace, and all arrive in order', async () => {
    const lengths = fc.array(fc.constantFrom(1, 1000, 100_000, LARGEST), { maxLength: 60 });
    const pauses = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 8 });
    const property = fc.asyncProperty(lengths, pauses, async (sent, paces) => {
      let unread = 0;
      let most = 0;
      const stream = eventsOf<{ text: string }>(async (onEvent) => {
        for (const length of sent) {
          unread += 2 * length;
          most = Math.max(most, unread);
          await onEvent({ text: 'x'.repeat(length) });
        }
      }, undefined);
      const read: number[] = [];
      for await (const { text } of stream) {
        unread -= 2 * text.length;
        const pace = paces[read.length % paces.length];
        read.push(text.length);
        await settle(undefined, pace);
      }
      expect(read).toEqual(sent);
      // The event that fills it, those that its reader has taken together, and the one that was just pushed.
      expect(most).toBeLessThanOrEqual(2 * (LIMIT_BYTES + 2 * LARGEST));
    });
    await fc.assert(property, fixedRuns(60));
  });
});
