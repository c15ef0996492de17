import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ExecutionClock } from '../../src/execution/limits/execution-clock.ts';

describe('the clock of a program', () => {
  let ends = 0;
  beforeEach(() => {
    ends = 0;
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function start(limitMs: number): ExecutionClock {
    const clock = new ExecutionClock(limitMs, () => (ends += 1));
    clock.start();
    return clock;
  }

  it('calls its listener once when the time is up', () => {
    const clock = start(100);
    vi.advanceTimersByTime(99);
    expect({ ends, leftMs: clock.leftMs }).toEqual({ ends: 0, leftMs: 1 });
    vi.advanceTimersByTime(1000);
    expect({ ends, leftMs: clock.leftMs }).toEqual({ ends: 1, leftMs: 0 });
  });

  it('pauses while any number of holders hold it, and then continues with the rest', () => {
    const clock = start(100);
    vi.advanceTimersByTime(60);
    clock.hold('a');
    vi.advanceTimersByTime(1000);
    clock.hold('b');
    expect(clock.letGo('a')).toBe(true);
    vi.advanceTimersByTime(1000);
    expect({ ends, leftMs: clock.leftMs, isHeld: clock.isHeld }).toEqual({
      ends: 0,
      leftMs: 40,
      isHeld: true,
    });
    expect(clock.letGo('b')).toBe(true);
    vi.advanceTimersByTime(39);
    expect(ends).toBe(0);
    vi.advanceTimersByTime(1);
    expect(ends).toBe(1);
  });

  it('counts no time twice if it is held repeatedly', () => {
    const clock = start(100);
    for (let turn = 0; turn < 9; turn += 1) {
      clock.hold('a');
      vi.advanceTimersByTime(500);
      clock.letGo('a');
      vi.advanceTimersByTime(10);
    }
    expect({ ends, leftMs: clock.leftMs }).toEqual({ ends: 0, leftMs: 10 });
    vi.advanceTimersByTime(10);
    expect(ends).toBe(1);
  });

  it('cannot be released by others than its holders', () => {
    const clock = start(100);
    clock.hold('a');
    expect(clock.letGo('b')).toBe(false);
    vi.advanceTimersByTime(1000);
    expect(ends).toBe(0);
  });

  it('leaves no timer after it was stopped, even if a holder releases it later', () => {
    const clock = start(100);
    clock.hold('a');
    clock.stop();
    expect(clock.letGo('a')).toBe(false);
    expect(clock.hold('b')).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});
