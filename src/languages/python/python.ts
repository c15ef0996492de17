import type { ToolStub } from '../../protocol/messages.ts';
import { toPythonPath } from '../../tools/names.ts';
import type { Tool } from '../../tools/tool.ts';
import { withoutFence } from '../fence.ts';
import { acceptsObject } from '../schema/json-schema.ts';
import type { Language } from '../language.ts';
import { definitionOf, explanationOf, parametersOf, signatureOf } from './documentation.ts';
import { pythonDefinitions } from './typed-dicts.ts';
import { cachedByTool, cachedByTools } from '../cached-by-tools.ts';
import { parametersText } from '../stub-parameters.ts';

const executeCodeDescription = `Runs Python code and returns what it prints.

Your tools are async functions that are already defined: \`result = await tool(name="value")\`. Put dependent calls, loops, filters and sums into one program, and make independent calls together with \`await asyncio.gather(...)\`. Results are plain Python values (dict, list, str, int, float, bool, None); a parameter shown as \`= ...\` can be left out.

- Only what is printed comes back to you. Print the short answer that you need, not raw data.
- Variables, functions and imports stay for the next call. Top-level \`await\` works.
- A call that fails raises \`ToolError\` (attributes \`type\`, \`tool\`, \`message\`); catch it if you can continue without that result.
- There is no network and no \`input()\`; only the tools reach anything outside.`;

const stubs = cachedByTools((tools) => {
  const identifiers = new Set(tools.map(({ identifier }) => identifier));
  return tools.map((tool) => {
    const stub = stubOf(tool);
    const path = toPythonPath(tool.name);
    // A tool with the name of the object takes precedence.
    return path === undefined || identifiers.has(path[0]) ? stub : withPath(stub, path);
  });
});

type NamedStub = ToolStub & Required<Pick<ToolStub, 'name' | 'identifier'>>;

/** Without what follows from the path, because there may be thousands of stubs. */
function withPath({ name, identifier, ...stub }: NamedStub, parts: readonly string[]): ToolStub {
  return {
    ...(name === parts.join(':') ? {} : { name }),
    ...(identifier === parts.join('_') ? {} : { identifier }),
    path: parts.join('.'),
    ...stub,
  };
}

/** Kept, because one tool of many may change. */
const stubOf = cachedByTool((tool): NamedStub => ({
  name: tool.name,
  identifier: tool.identifier,
  parameters: parametersText(
    parametersOf(tool).map((parameter) => ({
      ...parameter,
      acceptsObject: acceptsObject(parameter.schema, tool.inputSchema),
    })),
  ),
}));

/** Python 3.9 and later. */
export const python: Language = {
  name: 'python',
  title: 'Python',
  stubs,
  documented: {
    isRead: (code) => /\b(?:help|inspect|pydoc|doctest)\b|__doc__/.test(code),
    stubs: cachedByTools((tools) =>
      stubs(tools).map((stub, index) => {
        const tool = tools[index];
        return tool === undefined ? stub : { ...stub, documentation: docstringOf(tool) };
      }),
    ),
  },
  documentation: cachedByTools(documentation),
  executeCodeDescription,
  program: (code) => withoutFence(code, ['python', 'python3', 'py', 'py3']),
};

function documentation(tools: readonly Tool[]): string {
  const definitions = pythonDefinitions(tools);
  const functions = tools.map((tool) => definitionOf(tool, definitions));
  return [...definitions.texts(), ...functions].join('\n\n');
}

function docstringOf(tool: Tool): string {
  const definitions = pythonDefinitions([tool]);
  const signature = signatureOf(tool, definitions);
  return [signature, explanationOf(tool), ...definitions.texts()].join('\n\n');
}
