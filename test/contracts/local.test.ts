import { localSubject, unlessInBubblewrap } from '../support/subjects/local.ts';
import { describeContract } from './describe-contract.ts';

for (const language of ['python', 'typescript', 'javascript', 'bash'] as const) {
  describeContract(localSubject(language), unlessInBubblewrap(language));
}
