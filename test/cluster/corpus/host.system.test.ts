import { describeInPods } from './target.ts';

describeInPods({ folders: ['host', 'protocol'] });
