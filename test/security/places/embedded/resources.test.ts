import { describeEmbedded } from './target.ts';

describeEmbedded({ folders: ['resources', 'session'] });
