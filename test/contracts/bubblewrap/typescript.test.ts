import { describeInBubblewrap } from './subject.ts';

describeInBubblewrap('typescript');
