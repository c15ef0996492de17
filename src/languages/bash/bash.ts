import type { ToolStub } from '../../protocol/messages.ts';
import type { Tool } from '../../tools/tool.ts';
import { commandNames, documentationOf, parametersOf } from './documentation.ts';
import { withoutFence } from '../fence.ts';
import type { Language } from '../language.ts';
import { cachedByTools, cachedDocumentation } from '../cached-by-tools.ts';
import { observedNote } from '../shapes/observed-note.ts';
import { parametersText } from '../stub-parameters.ts';

const executeCodeDescription = `Runs a bash program and returns what it prints.

Your tools are commands: \`tool --name value --other 2\` prints the tool's result on stdout, as one line of JSON. Instead of flags, all arguments can be one JSON object: \`tool '{"name": "value"}'\`, or \`… | tool -\` if it comes on stdin. They work in pipes, in \`$(…)\`, under \`xargs\` and \`timeout\`, and at the same time with \`&\` and \`wait\`.

- Only what is printed comes back to you. Print the short answer that you need, not raw data; use \`python3\` to read JSON.
- The directory, variables, functions and options stay for the next call; traps, \`set -euo pipefail\` and background processes end with their program.
- A call that fails says why on stderr and has status 1. The program's status is that of its last command, or what it passes to \`exit\`; a status other than 0 means that it failed.
- There is no network and stdin is empty; only the tools reach anything outside.`;

const namesOf = cachedByTools(commandNames);

/** Bash 4.4 and later. */
export const bash: Language = {
  name: 'bash',
  title: 'Bash',
  stubs: cachedByTools((tools) => {
    const names = namesOf(tools);
    return tools.map((tool) => stubOf(tool, names.get(tool) ?? tool.identifier));
  }),
  documented: {
    isRead: (code) => code.includes('--help'),
    stubs: cachedByTools((tools) => {
      const names = namesOf(tools);
      return tools.map((tool) => {
        const command = names.get(tool) ?? tool.identifier;
        return { ...stubOf(tool, command), documentation: documentationOf(tool, command) };
      });
    }),
  },
  documentation: cachedDocumentation((tools, all) => {
    const names = namesOf(all);
    const texts = tools.map((tool) => documentationOf(tool, names.get(tool) ?? tool.identifier));
    return [...observedNote(tools, '#'), ...texts].join('\n\n');
  }),
  executeCodeDescription,
  outputDirectory: '$OUTPUT_DIR',
  program: (code) => withoutFence(code, ['bash', 'sh', 'shell']),
};

function stubOf(tool: Tool, command: string): ToolStub {
  return {
    name: tool.name,
    identifier: command,
    parameters: parametersText(
      parametersOf(tool).map(({ name, flag, types, isRequired }) => ({
        name,
        identifier: flag,
        isRequired,
        acceptsObject: types.includes('object'),
        types,
      })),
    ),
  };
}
