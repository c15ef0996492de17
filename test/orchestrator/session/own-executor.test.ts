import { describe, expect, it } from 'vitest';
import { useExecutors } from '../../sessions/support.ts';
import { converse, refusalOf, runs, says } from '../support.ts';

const makeExecutor = useExecutors();

describe('a conversation', () => {
  it.each(['maxSandboxes', 'provider', 'pool'])(
    'does not take %s itself: it is an option of its executor',
    async (name) => {
      const { executor } = makeExecutor();
      const options = { executor, [name]: 3 };
      const error = await refusalOf((async () => converse([], options))());
      expect(error).toMatchObject({ code: 'OPTION_INVALID' });
      expect(error.message).toContain(`has no option ${name}. Did you mean executor.${name}?`);
    },
  );

  it('takes the options of an executor of its own, which ends with it', async () => {
    const { orchestrator, provider } = converse([runs('print(1)'), says('Done.')], {
      executor: { maxSandboxes: 1 },
    });
    await orchestrator.run('Go.');
    expect(provider.open.size).toBe(1);
    await orchestrator.close();
    expect(provider.open.size).toBe(0);
  });
});
