import { describeInPods } from './target.ts';

describeInPods({ folders: ['escape', 'filesystem', 'network'] });
