import { describeInPods } from './target.ts';

describeInPods({ folders: ['session'] });
