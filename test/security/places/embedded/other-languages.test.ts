import { describeEmbedded } from './target.ts';

describeEmbedded({ folders: ['bash', 'javascript', 'typescript'] });
