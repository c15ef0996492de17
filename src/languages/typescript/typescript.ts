import type { ToolStub } from '../../protocol/messages.ts';
import type { Tool } from '../../tools/tool.ts';
import { withoutFence } from '../fence.ts';
import type { Language } from '../language.ts';
import { cachedByTools, cachedDocumentation } from '../cached-by-tools.ts';
import { declarations, pathOf, locateTools } from './declarations.ts';

function executeCodeDescription(title: string): string {
  return `Runs ${title} code and returns what it prints.

Your tools are async functions that are already defined and take one object: \`const result = await tool({ name: "value" })\`. Put dependent calls, loops, filters and sums into one program, and make independent calls together with \`await Promise.all([...])\`. Results are plain values (objects, arrays, strings, numbers, booleans, null).

- Only what \`console.log\` prints comes back to you. Print the short answer that you need, not raw data.
- Everything declared at top level stays for the next call and can be declared again; do not reuse the tools' names. Top-level \`await\` works; the program ends when nothing is left to do, as in Node: clear every interval.
- A call that fails throws \`ToolError\` (\`type\`, \`tool\`, \`message\`); catch it if you can continue without that result.
- \`show(bytes)\` shows you an image: the bytes of a PNG, JPEG, GIF or WebP file as a \`Uint8Array\`.
- There are no modules except Node's own, no network and no standard input; only the tools reach anything outside.`;
}

/** TypeScript. Its types are removed, not checked. */
export const typescript: Language = {
  name: 'typescript',
  title: 'TypeScript',
  stubs: cachedByTools(stubs),
  documentation: cachedDocumentation(declarations),
  executeCodeDescription: executeCodeDescription('TypeScript'),
  outputDirectory: 'process.env.OUTPUT_DIR',
  program,
};

/** JavaScript, with the same declarations, which models read well. */
export const javascript: Language = {
  ...typescript,
  name: 'javascript',
  title: 'JavaScript',
  executeCodeDescription: executeCodeDescription('JavaScript'),
};

/** A tool takes one object, so parameters need no order. */
function stubs(tools: readonly Tool[]): ToolStub[] {
  return locateTools(tools).map((place) => ({
    name: place.tool.name,
    identifier: pathOf(place),
    parameters: '',
  }));
}

function program(code: string): string {
  return withoutFence(code, ['typescript', 'ts', 'mts', 'javascript', 'js', 'mjs']);
}
