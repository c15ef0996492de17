import { describeInBubblewrap } from './target.ts';

describeInBubblewrap({ folders: ['bash', 'javascript', 'typescript'] });
