import { describeInDocker } from './target.ts';

describeInDocker({ folders: ['resources', 'session'] });
