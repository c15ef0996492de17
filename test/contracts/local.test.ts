import { killLocalSandbox, unisolatedLocalProvider } from '../support/local-provider.ts';
import { describeContract } from './contract.ts';

describeContract({
  name: 'unisolated local process (no sandbox)',
  create: () => unisolatedLocalProvider(),
  kill: killLocalSandbox,
  cannot: { 'memory limit': 'an ordinary process has none' },
});
