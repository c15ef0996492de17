// The search for tools: what programs ask, and what servers say about their tools.

import { readFileSync } from 'node:fs';
import { Catalog } from '../../../../dist/languages/catalog/catalog.js';
import { ToolIndex } from '../../../../dist/languages/catalog/tool-index.js';
import { python } from '../../../../dist/languages/python/python.js';
import { defineTool } from '../../../../dist/tools/define-tool.js';
import { text } from '../shapes.mjs';
import { anyTexts, PIECES, PLAIN_TEXT } from '../texts.mjs';

/** The schemas of the two tools allow no more, so the rest of an input is left out. */
const LONGEST_QUERY = 1000;
const LONGEST_NAME = 200;
const MOST_NAMES = 50;

/** A source cuts longer descriptions. */
const LONGEST_DESCRIPTION = 10_000;

const OPERATIONS = new URL('../../../../test/fixtures/github/operations.jsonl', import.meta.url);

/** Words that are in many names, alone and with what makes new words of them. */
const QUERIES = [
  ...['list ', 'repo ', 'list get create ', 'repository organization ', 'un', 'ing', 'ies '],
  ...['organizations', 'aB', 'AB', 'a1', 're', 'x y '],
].flatMap((pump) => [text(pump), text(pump, 'list '), { ...text(`${pump}#`), counted: true }]);

export const CATALOG_TARGETS = [
  {
    name: 'catalog: query among 1,223 tools',
    of: 'languages/catalog',
    async make() {
      const index = await ToolIndex.of(githubTools());
      return {
        ...ofTexts([...QUERIES, ...anyTexts()]),
        run: (query) => index.search(query.slice(0, LONGEST_QUERY), 50, () => true),
      };
    },
  },
  {
    name: 'catalog: names of no tool, among 1,223 tools',
    of: 'languages/catalog',
    async make() {
      const [, describe] = new Catalog(githubTools(), () => true).searchTools(python);
      await describe.run({ names: 'x' });
      return {
        ...ofTexts([...QUERIES, ...anyTexts()]),
        run: (input) => describe.run({ names: partsOf(input, LONGEST_NAME, MOST_NAMES) }),
      };
    },
  },
  {
    name: 'catalog: texts of tools',
    of: 'languages/catalog',
    make: () => ({
      ...ofTexts([...QUERIES, ...anyTexts()]),
      clock: 'turn',
      async run(input) {
        const descriptions = partsOf(input, LONGEST_DESCRIPTION, Infinity);
        const tools = descriptions.map(describedTool);
        void new Catalog(tools, () => true).overview;
        const index = await ToolIndex.of(tools);
        index.search('list all repositories', 50, () => true);
      },
    }),
  },
];

function ofTexts(shapes) {
  return { shapes, harmless: PLAIN_TEXT, isText: true, pieces: PIECES };
}

function githubTools() {
  const lines = readFileSync(OPERATIONS, 'utf8').trim().split('\n');
  return lines.map((line) => {
    const { id, summary } = JSON.parse(line);
    const name = `github:${id.replaceAll(/[^a-z\d]/gi, '_')}`;
    return { ...defineTool({ name, description: summary, run: () => null }), defer: true };
  });
}

function describedTool(description, place) {
  const [argument = 'a'] = description.match(/[^\s\p{C}]{1,500}/u) ?? [];
  return {
    ...defineTool({
      name: `server:tool_${place}`,
      description: description.trim() === '' ? 'None.' : description,
      inputSchema: { type: 'object', properties: { [argument]: {} } },
      run: () => null,
    }),
    defer: true,
  };
}

function partsOf(input, size, most) {
  const parts = [];
  for (let place = 0; place < input.length && parts.length < most; place += size) {
    parts.push(input.slice(place, place + size));
  }
  return parts.length > 0 ? parts : [''];
}
