import { describeWithBubblewrap } from '../../support/bubblewrap.ts';
import { bubblewrapSubject } from '../../support/subjects/bubblewrap.ts';
import { describeContract } from '../describe-contract.ts';

describeWithBubblewrap('processes in namespaces of their own', () => {
  describeContract(bubblewrapSubject('python'));
});
