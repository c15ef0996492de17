import { describeInBubblewrap } from './subject.ts';

describeInBubblewrap('javascript');
