import { describeInDocker } from './target.ts';

describeInDocker({ folders: ['escape', 'filesystem', 'network'] });
