import type { ToolStub } from '../../protocol/messages.ts';
import { toPythonPath } from '../../tools/names.ts';
import type { Tool } from '../../tools/tool.ts';
import { withoutFence } from '../fence.ts';
import { acceptsObject } from '../schema/json-schema.ts';
import type { Language } from '../language.ts';
import {
  definitionsOf,
  explanationOf,
  markOf,
  parametersOf,
  signatureOf,
} from './documentation.ts';
import { pythonDefinitions } from './typed-dicts.ts';
import { cachedByTool, cachedByTools, cachedDocumentation } from '../cached-by-tools.ts';
import { observedNote } from '../shapes/observed-note.ts';
import { parametersText } from '../stub-parameters.ts';

const executeCodeDescription = `Runs Python code and returns what it prints.

Your tools are async functions that are already defined: \`result = await tool(name="value")\`. Put dependent calls, loops, filters and sums into one program, and make independent calls together with \`await asyncio.gather(...)\`. Results are plain Python values (dict, list, str, int, float, bool, None); a parameter shown as \`= ...\` can be left out.

- Only what is printed comes back to you. Print the short answer that you need, not raw data.
- Variables, functions and imports stay for the next call. Top-level \`await\` works.
- A call that fails raises \`ToolError\` (attributes \`type\`, \`tool\`, \`message\`); catch it if you can continue without that result.
- \`show(figure)\` shows you an image: a matplotlib figure, a PIL image, or the path or bytes of a PNG, JPEG, GIF or WebP file.
- There is no network and no \`input()\`; only the tools reach anything outside.`;

const stubs = cachedByTools((tools) => {
  const identifiers = new Set(tools.map(({ identifier }) => identifier));
  const taken = new Set<string>();
  return tools.map((tool) => {
    const stub = stubOf(tool);
    const parts = toPythonPath(tool.name);
    // A tool with the name of the object takes precedence.
    if (parts === undefined || identifiers.has(parts[0]) || isMangled(parts[1])) return stub;
    const path = parts.join('.');
    if (taken.has(path)) return stub;
    taken.add(path);
    return withPath(stub, parts);
  });
});

/** Whether Python, in the code of a class, looks for another attribute: `_Class__name` instead of `__name`. */
function isMangled(attribute: string): boolean {
  return attribute.startsWith('__') && !attribute.endsWith('__');
}

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
        if (tool === undefined) return stub;
        return { ...stub, documentation: docstringOf(tool, stub.path ?? tool.identifier) };
      }),
    ),
  },
  documentation: cachedDocumentation(documentation),
  executeCodeDescription,
  outputDirectory: 'os.environ["OUTPUT_DIR"]',
  program: (code) => withoutFence(code, ['python', 'python3', 'py', 'py3']),
};

/** The paths of those tools that have one. */
const pathsOf = cachedByTools((tools): ReadonlyMap<Tool, string | undefined> => {
  const known = stubs(tools);
  return new Map(tools.map((tool, index) => [tool, known[index]?.path]));
});

function documentation(tools: readonly Tool[], all: readonly Tool[]): string {
  const known = pathsOf(all);
  const paths = tools.map((tool) => known.get(tool) ?? tool.identifier);
  const namespaces = paths.map((path) => path.split('.')[0] ?? '');
  const definitions = pythonDefinitions(tools, namespaces);
  const functions = definitionsOf(tools, paths, definitions);
  const note = observedNote(tools, '#');
  return [...note, ...definitions.texts(), ...functions].join('\n\n');
}

function docstringOf(tool: Tool, path: string): string {
  const definitions = pythonDefinitions([tool], path.split('.').slice(0, 1));
  const signature = `${signatureOf(tool, path, definitions)}${markOf(tool)}`;
  return [signature, explanationOf(tool, path), ...definitions.texts()].join('\n\n');
}
