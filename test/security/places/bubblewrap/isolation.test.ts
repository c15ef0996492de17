import { describeInBubblewrap } from './target.ts';

describeInBubblewrap({ folders: ['escape', 'filesystem', 'network'] });
