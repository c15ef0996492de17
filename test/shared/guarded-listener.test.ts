import { expect, onTestFinished, test, vi } from 'vitest';
import { guardedListener } from '../../src/shared/listeners/guarded-listener.ts';

test.each([
  ['throws', () => JSON.parse('{ not json')],
  ['is an async function that fails', async () => JSON.parse('{ not json')],
])('a listener that %s ends nothing, and the process gets a warning', async (_what, listener) => {
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
  onTestFinished(() => warn.mockRestore());
  guardedListener(listener)('event');
  await expect.poll(() => warn.mock.calls.length).toBe(1);
  expect(String(warn.mock.calls[0]?.[0])).toMatch(/^An event listener threw: /);
});
