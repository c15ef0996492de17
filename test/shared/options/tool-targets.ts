import { ProgressReports, TOOL_PROGRESS } from '../../../src/calls/progress-reports.ts';
import { ANNOTATION_NAMES } from '../../../src/tools/annotations.ts';
import { DEFINITION, defineTool } from '../../../src/tools/define-tool.ts';
import { TOOL_REGISTRY, ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { MAX_CALLS_NAMES, REPEATED_CALLS_NAMES } from '../../../src/tools/limits/count-limits.ts';
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
  ToolRegistry: {
    names: TOOL_REGISTRY.names,
    page: 'tools.md',
    call: (options) => new ToolRegistry([], options),
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
  'Tool "a": maxCalls': {
    names: MAX_CALLS_NAMES,
    page: 'tools.md',
    base: { program: 1 },
    call: (maxCalls) => defineTool({ ...TOOL, maxCalls }),
  },
  'Tool "a": repeatedCalls': {
    names: REPEATED_CALLS_NAMES,
    page: 'tools.md',
    base: { limit: 1, action: 'deny' },
    call: (repeatedCalls) => defineTool({ ...TOOL, repeatedCalls }),
  },
};
