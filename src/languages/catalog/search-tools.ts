import { toTool } from '../../tools/define-tool.ts';
import type { Tool, ToolCaller } from '../../tools/tool.ts';

export const SEARCH_TOOLS = 'search_tools';
export const DESCRIBE_TOOLS = 'describe_tools';

const MAXIMUM_TOOLS = 50;
const MAXIMUM_QUERY = 1000;
const MAXIMUM_NAME = 200;
/** The longest answer, in characters. */
const MAXIMUM_ANSWER = 30_000;
/** For how many unknown names an answer says what may be meant: each needs a search. */
const MAXIMUM_ADVICE = 3;

/** What the two tools find, and how it is shown. */
export interface ToolFinder {
  /** The tools by each of their names. */
  readonly names: () => Promise<ReadonlyMap<string, Tool>>;
  readonly search: (
    query: string,
    limit: number,
    nameSpace: string | undefined,
  ) => Promise<readonly Tool[]>;
  /** The documentation of some of the tools. */
  readonly document: (tools: readonly Tool[]) => string;
  /** One line about each name space. */
  readonly nameSpaces: () => string;
}

const name = { type: 'string', maxLength: MAXIMUM_NAME } as const;

const SEARCH = toTool(
  {
    name: SEARCH_TOOLS,
    description:
      'Finds tools that are not documented here by what they do. Returns the documentation of the best matches as text, the best first: print it to read it. Search again with other words if nothing fits.',
    inputSchema: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          maxLength: MAXIMUM_QUERY,
          description: 'What the tool should do, such as "close an issue".',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: MAXIMUM_TOOLS,
          default: 5,
          description: 'The most tools to return.',
        },
        namespace: { ...name, description: 'Searches only the tools of this name space.' },
      },
      required: ['query'],
      additionalProperties: false,
    },
    outputSchema: { type: 'string' },
    run: () => undefined,
  },
  'first call',
);

const DESCRIBE = toTool(
  {
    name: DESCRIBE_TOOLS,
    description: 'Returns the documentation of tools whose names you know, as text: print it.',
    inputSchema: {
      type: 'object',
      properties: {
        names: {
          description: 'One name, or a list of names.',
          anyOf: [{ type: 'array', items: name, minItems: 1, maxItems: MAXIMUM_TOOLS }, name],
        },
      },
      required: ['names'],
      additionalProperties: false,
    },
    outputSchema: { type: 'string' },
    run: () => undefined,
  },
  'first call',
);

/** What a model calls itself returns to the model: nothing needs to be printed. */
const DIRECT = [
  asDirect(
    SEARCH,
    'Finds functions that your programs can call, by what they do. Returns the documentation of the best matches, the best first. Search again with other words if nothing fits.',
  ),
  asDirect(
    DESCRIBE,
    'Returns the documentation of functions that your programs can call, and whose names you know.',
  ),
] as const;

function asDirect(tool: Tool, description: string): Tool {
  return { ...tool, description, allowedCallers: ['direct'], annotations: { readOnlyHint: true } };
}

interface SearchInput {
  readonly query: string;
  readonly limit?: number;
  readonly namespace?: string;
}

interface DescribeInput {
  readonly names: string | readonly string[];
}

/**
 * The tools with which tools of programs are found. Their arguments are the same in each language.
 * @param caller - Whether programs search, or the model does so without a program.
 */
export function searchTools(finder: ToolFinder, caller: ToolCaller = 'code'): readonly Tool[] {
  const [search, describeTools] = caller === 'code' ? [SEARCH, DESCRIBE] : DIRECT;
  return [
    withRun(search, async ({ query, limit = 5, namespace }: SearchInput) => {
      const found = await finder.search(query, limit, namespace);
      return found.length > 0 ? documentationOf(found, finder) : nothingFound(finder);
    }),
    withRun(describeTools, async ({ names }: DescribeInput) => describe([names].flat(), finder)),
  ];
}

function withRun(tool: Tool, run: (input: never) => Promise<string>): Tool {
  // The arguments were checked against the schema.
  return Object.freeze({ ...tool, run: async (input: never) => run(input) });
}

function nothingFound({ nameSpaces }: ToolFinder): string {
  return `No tool matches. Search with other words, for one of these:\n\n${nameSpaces()}`;
}

async function describe(names: readonly string[], finder: ToolFinder): Promise<string> {
  const known = await finder.names();
  const found = new Set(names.flatMap((one) => known.get(one) ?? []));
  const unknown = [...new Set(names)].filter((one) => !known.has(one));
  const texts = found.size > 0 ? [documentationOf([...found], finder)] : [];
  for (const [index, one] of unknown.entries()) {
    const meant = index < MAXIMUM_ADVICE ? await finder.search(one, 1, undefined) : [];
    texts.push(unknownTool(one, meant[0]));
  }
  return texts.join('\n\n');
}

function unknownTool(given: string, meant: Tool | undefined): string {
  const advice =
    meant === undefined ? `Use ${SEARCH_TOOLS} to find it.` : `Did you mean ${meant.identifier}?`;
  return `There is no tool ${JSON.stringify(given)}. ${advice}`;
}

/** The documentation of the first tools that are not too long together. */
function documentationOf(tools: readonly Tool[], { document }: ToolFinder): string {
  let length = 0;
  const shown = tools.filter((tool) => {
    if (length <= MAXIMUM_ANSWER) length += document([tool]).length;
    return length <= MAXIMUM_ANSWER;
  });
  const [first] = tools;
  const isCut = shown.length === 0 && first !== undefined;
  const text = isCut
    ? `${document([first]).slice(0, MAXIMUM_ANSWER)}… (the rest is left out)`
    : document(shown);
  const left = tools.slice(isCut ? 1 : shown.length).map((tool) => tool.identifier);
  if (left.length === 0) return text;
  return `${text}\n\nLeft out, because this is long enough: ${left.join(', ')}`;
}
