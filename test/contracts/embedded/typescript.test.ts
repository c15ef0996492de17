import { embeddedSubject } from '../../support/subjects/embedded.ts';
import { describeContract } from '../describe-contract.ts';

describeContract(embeddedSubject('typescript'), {
  groups: ['programs', 'values', 'tools'],
  coveredBy: 'JavaScript in the embedded sandbox: only the compilation of a program differs',
});
