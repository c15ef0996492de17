import { killLocalSandbox, unisolatedLocalProvider } from '../support/local-provider.ts';
import { describeContract } from './contract.ts';
import { describeJavascript } from './javascript.ts';
import type { Subject } from './subject.ts';

const subject: Subject = {
  name: 'unisolated local process (no sandbox)',
  create: () => unisolatedLocalProvider(),
  kill: killLocalSandbox,
  cannot: { 'memory limit': 'an ordinary process has none' },
};

describeContract(subject);
describeJavascript(subject);
