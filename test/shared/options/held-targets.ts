import { HeldExecution } from '../../../src/execution/held/held-execution.ts';
import {
  ANSWER_OPTIONS,
  CURSOR_NAMES,
  NEXT_OPTIONS,
  OUTPUT_OPTIONS,
} from '../../../src/execution/held/held-program.ts';
import { RemoteCalls } from '../../../src/execution/held/remote-calls.ts';
import { defineRemoteTool, REMOTE_DEFINITION } from '../../../src/tools/remote-tool.ts';
import type { Target } from './target.ts';

const page = 'held-programs.md';
// Its program was refused, so it has neither calls nor output.
const held = new HeldExecution(undefined, new Promise(() => {}));
const TOOL = { name: 'a', description: 'A.' };

/** Those of held programs, by the name that errors give the object. */
export const HELD_TARGETS: Readonly<Record<string, Target>> = {
  defineRemoteTool: {
    names: REMOTE_DEFINITION.names,
    page,
    base: TOOL,
    accepts: {
      name: ['text'],
      annotations: ['plain'],
      outputSchema: ['plain', 'instance', 'inherited'],
    },
    call: (definition) => defineRemoteTool(definition),
  },
  next: {
    names: NEXT_OPTIONS.names,
    page,
    call: async (options) => held.next(options),
  },
  output: { names: OUTPUT_OPTIONS.names, page, call: (options) => held.output(options) },
  since: {
    names: CURSOR_NAMES,
    page,
    base: { stdout: 0, stderr: 0 },
    call: (since) => held.output({ since }),
  },
  answer: {
    names: ANSWER_OPTIONS.names,
    page,
    base: {},
    accepts: { result: 'all' },
    call: (answer) =>
      new RemoteCalls({ opened: () => {}, closed: () => {}, arrived: () => {} }).answer(
        'a',
        answer,
      ),
  },
};
