import { embeddedSubject } from '../../support/subjects/embedded.ts';
import { describeContract } from '../describe-contract.ts';

describeContract(embeddedSubject('javascript'));
