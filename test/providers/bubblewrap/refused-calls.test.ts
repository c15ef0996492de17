import { expect, test, vi } from 'vitest';
import { seccompProgram } from '../../../src/sandbox/seccomp/seccomp-program.ts';
import { X86_64_NUMBERS } from '../../../src/sandbox/seccomp/system-call-numbers.ts';
import { decide } from '../../sandbox/bpf-interpreter.ts';
import { isWatched } from '../../../src/providers/bubblewrap/bubblewrap-sandbox.ts';
import { refusedCalls } from '../../../src/providers/bubblewrap/start/refused-calls.ts';

test.each([
  ['root', 'a control group', 0, true, false, false],
  ['root', 'no control group', 0, false, true, true],
  ['an ordinary user', 'a control group', 1000, true, true, false],
  ['an ordinary user', 'no control group', 1000, false, true, true],
])(
  'a sandbox of %s with %s is refused what would hide from the host or from its count [bubblewrap/sent-descriptors, bubblewrap/pipes]',
  (_user, _group, userId, bounded, hiding, uncounted) => {
    const getuid = vi.spyOn(process, 'getuid').mockReturnValue(userId);
    const watched = isWatched(bounded);
    getuid.mockRestore();
    expect(watched).toBe(hiding);
    const names = refusedCalls(bounded, watched).map(({ name }) => name);
    expect(names).toContain('memfd_create');
    expect(names.includes('sendmsg')).toBe(hiding);
    expect(names.includes('close_range')).toBe(hiding);
    expect(names.includes('splice')).toBe(uncounted);
    const program = seccompProgram('x64', refusedCalls(bounded, watched));
    const values = [3n, 1031n, 1n << 20n];
    const number = X86_64_NUMBERS.get('fcntl') ?? -1;
    const largerPipe = decide(program, { number, architecture: 0xc000_003e, values });
    expect(largerPipe).toBe(hiding ? 0x0005_0001 : 0x7fff_0000);
  },
);

test('advice to remove a file from memory succeeds without effect, and other advice reaches the kernel [case 144, bubblewrap/watching]', () => {
  const program = seccompProgram('x64', refusedCalls(true, false));
  const number = X86_64_NUMBERS.get('fadvise64') ?? -1;
  const decideOn = (advice: bigint): number =>
    decide(program, { number, architecture: 0xc000_003e, values: [3n, 0n, 0n, advice] });
  // `SECCOMP_RET_ERRNO` with the number 0, and `SECCOMP_RET_ALLOW`.
  expect(decideOn(4n)).toBe(0x0005_0000);
  for (const advice of [0n, 1n, 2n, 3n, 5n]) expect(decideOn(advice)).toBe(0x7fff_0000);
});
