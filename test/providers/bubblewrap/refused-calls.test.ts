import { expect, test, vi } from 'vitest';
import { isWatched } from '../../../src/providers/bubblewrap/bubblewrap-sandbox.ts';
import { refusedCalls } from '../../../src/providers/bubblewrap/start/refused-calls.ts';

test.each([
  ['root', 'a control group', 0, true, false, false],
  ['root', 'no control group', 0, false, true, true],
  ['an ordinary user', 'a control group', 1000, true, true, false],
  ['an ordinary user', 'no control group', 1000, false, true, true],
])(
  'a sandbox of %s with %s is refused what would hide from the host or from its count',
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
  },
);
