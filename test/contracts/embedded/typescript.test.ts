import { describeEmbedded, JAVASCRIPT_GAPS } from './subject.ts';

describeEmbedded('typescript', JAVASCRIPT_GAPS, {
  groups: ['programs', 'values', 'tools'],
  coveredBy: 'JavaScript in the embedded sandbox: only the compilation of a program differs',
});
