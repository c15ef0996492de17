import { contractSuite, type ContractSubject } from '../../src/testing/index.ts';
import { describeSuite, type Choice } from '../support/describe-suite.ts';

/** What depends on where a runner is: how it starts, its streams, its limits, and how it ends. */
export const DECIDED_BY_THE_SANDBOX: readonly string[] = [
  'programs',
  'output',
  'output limits',
  'limits',
  'ends',
  'isolation',
];

/** For all languages but Python, which is the one to test in each provider. */
const WITHOUT_PROVIDER: Choice = {
  except: ['provider'],
  coveredBy: 'Python in the same sandbox, because these tests run no programs',
};

/** Runs the contract tests of a subject. */
export function describeContract(
  subject: ContractSubject,
  choice: Choice | undefined = subject.language === 'python' ? undefined : WITHOUT_PROVIDER,
): void {
  describeSuite('contract suite', contractSuite(subject), choice);
}
