import { describeInDocker } from './subject.ts';

describeInDocker({ language: 'bash' });
