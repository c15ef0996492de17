import { describeEmbedded } from './target.ts';

describeEmbedded({ folders: ['escape', 'filesystem', 'network'] });
