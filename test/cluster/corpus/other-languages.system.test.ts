import { describeInPods } from './target.ts';

describeInPods({ folders: ['bash', 'javascript', 'typescript'] });
