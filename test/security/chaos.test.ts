import { expect, it } from 'vitest';
import { startNode } from '../support/built-package.ts';
import { describeWithEngine } from '../support/engine.ts';
import { NO_ROOT, skippedFor } from '../support/skipped.ts';

const TIMES = 20;
const SEED = process.env['SANDBOXED_PTC_SEED'] ?? '1';

describeWithEngine('killing what takes part in a run', () => {
  it(
    `settles every promise and leaves nothing, ${TIMES} times [case 93]`,
    skippedFor(NO_ROOT),
    async () => {
      // On a busy machine, a container takes longer than a few seconds to start, and to end.
      const options = ['--times', String(TIMES), '--seed', SEED, '--within', '45'];
      const chaos = startNode(['--expose-gc', 'bench/chaos/chaos.mjs', ...options]);
      const { status, stdout, stderr } = await chaos.finished();
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toMatch(/nothing went wrong\n$/);
      // Each kind was among them.
      for (const name of ['host', 'supervisor', 'guest', 'container']) {
        expect(stdout).toMatch(new RegExp(`\\b${name} [1-9]`));
      }
    },
  );
});
