import { describeInDocker } from './target.ts';

describeInDocker({ folders: ['bash', 'javascript', 'typescript'] });
