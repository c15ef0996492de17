import { describeEmbedded } from './target.ts';

describeEmbedded({ folders: ['host', 'protocol'] });
