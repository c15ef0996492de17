import Docker from 'dockerode';
import { beforeAll, describe } from 'vitest';
import { searchEngine } from '../../src/providers/docker/engine.ts';

const search = await searchEngine(undefined);
const missing =
  'refusals' in search ? `No container engine answers:\n  ${search.refusals.join('\n  ')}\n` : '';

/**
 * Tests that need a container engine. Without one they fail where `CI` is set; elsewhere they are
 * counted as skipped, and the reason is printed.
 */
export function describeWithEngine(title: string, tests: (docker: Docker) => void): void {
  const skipped = missing !== '' && !process.env['CI'];
  if (skipped) process.stderr.write(`Skipped: ${title}. ${missing}`);
  describe.skipIf(skipped).each([title])('%s', () => {
    beforeAll(() => {
      if (missing !== '') throw new Error(missing);
    });
    tests('engine' in search ? search.engine.docker : new Docker());
  });
}
