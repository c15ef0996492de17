import { describeInBubblewrap } from './subject.ts';

describeInBubblewrap('python');
