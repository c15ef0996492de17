import { describeInDocker } from './subject.ts';
import { DECIDED_BY_THE_SANDBOX } from '../run-suite.ts';

describeInDocker(
  { language: 'bash' },
  { groups: DECIDED_BY_THE_SANDBOX, coveredBy: 'bubblewrap, whose runner is the same' },
);
