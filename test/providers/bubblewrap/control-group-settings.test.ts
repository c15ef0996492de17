import { describe, expect, test } from 'vitest';
import {
  type Hierarchy,
  settingsOf,
} from '../../../src/providers/bubblewrap/control-groups/settings.ts';
import { DEFAULT_LIMITS } from '../../../src/sandbox/sandbox.ts';

const TWO: Hierarchy = { version: 2, directory: '/', controllers: ['memory', 'pids', 'cpu'] };

function written(hierarchy: Hierarchy, limits = DEFAULT_LIMITS): string[] {
  return settingsOf(hierarchy, limits).map(({ file, value }) => `${file}=${value}`);
}

describe('the limits of a sandbox in its control group', () => {
  test('are those of its spec, without swap, and with a process that waits for its end [compared/memory, bubblewrap/group-limits]', () => {
    const limits = { ...DEFAULT_LIMITS, memoryBytes: 4096, processes: 7, cpus: 1.5 };
    expect(written(TWO, limits)).toEqual([
      ...['memory.max=4096', 'memory.swap.max=0', 'pids.max=8'],
      ...['cpu.max=150000 100000', 'cpu.max.burst=150000'],
    ]);
  });

  test('are the same in version 1', () => {
    const one = (['memory', 'pids', 'cpu'] as const).flatMap((controller) =>
      written({ version: 1, directory: '/', controllers: [controller] }),
    );
    expect(one).toEqual([
      'memory.limit_in_bytes=268435456',
      'memory.memsw.limit_in_bytes=268435456',
      'pids.max=65',
      'cpu.cfs_quota_us=50000',
      'cpu.cfs_burst_us=50000',
    ]);
  });

  test('are no more than its controllers can keep', () => {
    expect(written({ ...TWO, controllers: ['memory'] })).toEqual([
      'memory.max=268435456',
      'memory.swap.max=0',
    ]);
  });

  test('leave the smallest share of processors that the kernel accepts', () => {
    expect(written(TWO, { ...DEFAULT_LIMITS, cpus: 0.001 })).toContain('cpu.max=1000 100000');
  });
});
