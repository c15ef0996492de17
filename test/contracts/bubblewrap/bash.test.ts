import { describeInBubblewrap } from './subject.ts';

describeInBubblewrap('bash');
