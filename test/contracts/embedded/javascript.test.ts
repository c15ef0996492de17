import { describeEmbedded, JAVASCRIPT_GAPS } from './subject.ts';

describeEmbedded('javascript', JAVASCRIPT_GAPS);
