import { describeInDocker } from './target.ts';

describeInDocker({ folders: ['host', 'protocol'] });
