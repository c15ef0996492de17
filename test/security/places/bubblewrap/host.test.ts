import { describeInBubblewrap } from './target.ts';

describeInBubblewrap({ folders: ['host', 'protocol'] });
