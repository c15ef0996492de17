import { onTestFinished } from 'vitest';
import {
  contractSuite,
  type ContractSubject,
  type ContractSuite,
} from '../../src/testing/index.ts';
import { killLocalSandbox, unisolatedLocalProvider } from '../support/local-provider.ts';

export const local: ContractSubject = {
  name: 'local',
  language: 'python',
  provider: () => unisolatedLocalProvider(),
  kill: killLocalSandbox,
};

/** A suite that is closed with its test. */
export function openSuite(changes: Partial<ContractSubject> = {}): ContractSuite {
  const suite = contractSuite({ ...local, ...changes });
  onTestFinished(async () => suite.close());
  return suite;
}

/** Runs the one test that has this in its title. */
export async function runTest(suite: ContractSuite, part: string): Promise<void> {
  const found = suite.tests.filter(({ title }) => title.includes(part));
  if (found.length !== 1) throw new Error(`${found.length} tests have ${part} in their titles.`);
  await found[0]?.run();
}
