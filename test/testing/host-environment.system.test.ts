import { expect, it, onTestFinished } from 'vitest';
import { contractSuite } from '../../src/testing/index.ts';
import { describeWithBubblewrap } from '../support/bubblewrap.ts';
import { leakyProvider, runContractTest } from './leaky-provider.ts';

const TITLE = 'a program has nothing of its host’s environment';

/** One that has the environment of the moment when it is made. */
const copying = () => leakyProvider({ environment: { ...process.env } });

describeWithBubblewrap('the contract suite', () => {
  it.each(['python', 'javascript', 'bash'] as const)(
    'finds a provider that copies the environment when it is made: %s',
    async (language) => {
      await expect(runContractTest(TITLE, { language, provider: copying })).rejects.toThrow(
        'S3CRET',
      );
    },
  );

  it('finds a provider that copies the environment for each sandbox, also if another suite was closed', async () => {
    const provider = leakyProvider({});
    const late = {
      ...provider,
      create: async (...args: Parameters<typeof provider.create>) => copying().create(...args),
    };
    const suite = contractSuite({ name: 'late', language: 'python', provider: () => late });
    onTestFinished(async () => suite.close());
    await suite.tests.find(({ title }) => title.includes('is its output'))?.run();
    await expect(runContractTest(TITLE, { language: 'python', provider: copying })).rejects.toThrow(
      'S3CRET',
    );
    await expect(suite.tests.find(({ title }) => title === TITLE)?.run()).rejects.toThrow('S3CRET');
  });

  it('leaves nothing in the environment', async () => {
    const before = { ...process.env };
    const suite = contractSuite({
      name: 'tight',
      language: 'python',
      provider: () => leakyProvider({}),
    });
    await suite.tests.find(({ title }) => title === TITLE)?.run();
    await suite.close();
    expect(process.env).toEqual(before);
  });
});
