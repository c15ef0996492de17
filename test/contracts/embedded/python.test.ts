import { embeddedSubject } from '../../support/subjects/embedded.ts';
import { describeContract } from '../describe-contract.ts';

describeContract(embeddedSubject('python'), {
  // Half of the sandboxes. The tests of the guest have their own of policies and budgets.
  except: ['sessions', 'policy', 'budgets'],
  coveredBy:
    'JavaScript in the embedded sandbox, and Python in bubblewrap: the host decides it, and one provider starts and ends both',
});
