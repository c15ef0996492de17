import { describeInDocker } from './subject.ts';

describeInDocker(
  { language: 'typescript' },
  {
    groups: [],
    coveredBy: 'JavaScript in containers and TypeScript in bubblewrap, whose guest is the same',
  },
);
