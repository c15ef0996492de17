import { describeInDocker } from './subject.ts';
import { DECIDED_BY_THE_SANDBOX } from '../run-suite.ts';

describeInDocker(
  { language: 'javascript' },
  {
    groups: DECIDED_BY_THE_SANDBOX,
    coveredBy: 'bubblewrap, whose runner and line of Node are the same',
  },
);
