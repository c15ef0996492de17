import { describeInBubblewrap } from './target.ts';

describeInBubblewrap({ folders: ['resources', 'session'] });
