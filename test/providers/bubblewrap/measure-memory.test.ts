import { describe, expect, test } from 'vitest';
import {
  type HeldProcess,
  measureMemory,
} from '../../../src/providers/bubblewrap/memory/measure-memory.ts';

const MIB = 2 ** 20;

/** This process, which has more than 10 MiB, by a claim of how much it has. */
function self(privateBytes: number): HeldProcess {
  const threadId = process.pid;
  return {
    process: { id: threadId + privateBytes, threadId, privateBytes, ownBytes: 0, progress: '' },
    kernelBytes: 0,
  };
}

describe.runIf(process.platform === 'linux')('the memory of processes', () => {
  test('is measured, the largest first, until it is more than there is room for', async () => {
    const room = 6 * MIB;
    const one = await measureMemory([self(4 * MIB), self(5 * MIB)], room, 60_000);
    const many = await measureMemory([self(MIB), self(2 * MIB), self(5 * MIB)], room, 60_000);
    expect(one.bytes).toBeGreaterThan(10 * MIB);
    expect(many.isDecided).toBe(true);
    // Of all three it would be about three times as much.
    expect(many.bytes).toBeLessThan(2 * one.bytes);
  });

  test('is not measured if what one process has is too much', async () => {
    const measured = await measureMemory([self(2 * MIB), self(5000 * MIB)], 100 * MIB, 60_000);
    expect(measured).toEqual({ bytes: 5000 * MIB, twiceBytes: 0, isDecided: true });
  });

  test('is not measured if there is room for it whatever it shares', async () => {
    const measured = await measureMemory([self(50 * MIB), self(2 * MIB)], 1000 * MIB, 60_000);
    expect(measured).toEqual({ bytes: 0, twiceBytes: 0, isDecided: true });
  });

  test('is not known if the measurement takes too long', async () => {
    const measured = await measureMemory([self(5 * MIB), self(5 * MIB)], 6 * MIB, -1);
    expect(measured).toEqual({ bytes: 0, twiceBytes: 0, isDecided: false });
  });
});
