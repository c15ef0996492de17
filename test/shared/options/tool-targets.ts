import { ProgressReports, TOOL_PROGRESS } from '../../../src/calls/progress-reports.ts';
import { ANNOTATION_NAMES } from '../../../src/tools/annotations.ts';
import { DEFINITION, defineTool } from '../../../src/tools/define-tool.ts';
import type { Target } from './target.ts';

const TOOL = { name: 'a', description: 'A.', run: (): number => 1 };

/** Those of tools, by the name that errors give the object. */
export const TOOL_TARGETS: Readonly<Record<string, Target>> = {
  'Tool "a"': {
    names: DEFINITION.names,
    page: 'tools.md',
    base: TOOL,
    accepts: {
      name: ['text'],
      annotations: ['plain'],
      timeoutMs: ['number'],
      concurrency: ['number'],
      run: ['function'],
      outputSchema: ['plain', 'instance', 'inherited'],
    },
    call: (definition) => defineTool(definition),
  },
  progress: {
    names: TOOL_PROGRESS.names,
    page: 'tools.md',
    base: { progress: 1 },
    call: (report) => new ProgressReports(() => {}).add(report),
  },
  'Tool "a": annotations': {
    names: ANNOTATION_NAMES,
    page: 'tools.md',
    call: (annotations) => defineTool({ ...TOOL, annotations }),
  },
};
