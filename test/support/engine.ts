import Docker from 'dockerode';
import { beforeAll, describe } from 'vitest';
import { searchEngine } from '../../src/providers/docker/engine/engine.ts';
import { skippedFor } from './skipped.ts';

const search = await searchEngine(undefined);
const missing =
  'refusals' in search ? `No container engine answers:\n  ${search.refusals.join('\n  ')}\n` : '';

/**
 * Tests that need a container engine. Without one they fail if `CI` is set; otherwise they are
 * skipped.
 */
export function describeWithEngine(title: string, tests: (docker: Docker) => void): void {
  const skipped = missing !== '' && !process.env['CI'];
  const reason = skipped ? 'no container engine answers (see `npm run doctor`)' : undefined;
  describe(title, skippedFor(reason), () => {
    beforeAll(() => {
      if (missing !== '') throw new Error(missing);
    });
    tests('engine' in search ? search.engine.docker : new Docker());
  });
}
