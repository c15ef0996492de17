// Which code may import which: imports point only downward, and folders of one rank are strangers.
import { readdirSync } from 'node:fs';

const RANKS = [
  ['shared'],
  ['audit', 'tools', 'protocol'],
  ['calls', 'languages', 'sandbox', 'models'],
  ['providers', 'execution'],
  ['sessions'],
  ['orchestrator'],
  ['ai-sdk', 'mcp', 'openapi', 'testing'],
  ['cli'],
];

/** The only place that may load a package which is heavy or that we want to be free to replace. */
const HOMES = {
  '@eslint-community/regexpp': 'src/tools/patterns/',
  '@anthropic-ai/sdk': 'src/models/anthropic/',
  '@aws-sdk/client-bedrock-runtime': 'src/models/bedrock/',
  '@kubernetes/client-node': 'src/providers/kubernetes/cluster/',
  '@modelcontextprotocol/client': 'src/mcp/client/',
  '@modelcontextprotocol/node': 'src/mcp/server/',
  '@modelcontextprotocol/server': 'src/mcp/server/',
  ai: 'src/ai-sdk/',
  ajv: 'src/tools/',
  'ajv-formats': 'src/tools/',
  commander: 'src/cli/',
  dockerode: 'src/providers/docker/',
  'get-east-asian-width': 'src/cli/',
  'unicode-segmenter': 'src/cli/',
  openai: 'src/models/openai/',
  'p-queue': 'src/shared/async/serial-queue.ts',
  picocolors: 'src/cli/',
  re2js: 'src/tools/patterns/linear-pattern.ts',
  typescript: 'src/languages/type-check/',
  ws: 'src/providers/kubernetes/cluster/',
  'zod-to-json-schema': 'src/tools/',
};

const ranked = new Set(RANKS.flat());
for (const entry of readdirSync('src', { withFileTypes: true })) {
  if (entry.isDirectory() && !ranked.has(entry.name)) {
    throw new Error(`src/${entry.name} has no rank: add it to RANKS in .dependency-cruiser.mjs.`);
  }
}

const downward = RANKS.map((folders, rank) => ({
  name: `rank-${rank}-imports-downward`,
  comment: `${folders.join(', ')} (rank ${rank}) may import only lower ranks and themselves.`,
  severity: 'error',
  from: { path: `^src/(${folders.join('|')})/` },
  to: { path: `^src/(${RANKS.slice(rank).flat().join('|')})/`, pathNot: '^src/$1/' },
}));

const homes = Object.entries(HOMES).map(([name, home]) => ({
  name: `home-of-${name}`,
  comment: `Only ${home} may import ${name}.`,
  severity: 'error',
  from: { path: '^src/', pathNot: `^${home}` },
  to: { path: `(^|/)node_modules/(@types/)?${name}/` },
}));

export default {
  forbidden: [
    ...downward,
    ...homes,
    {
      name: 'no-cycles',
      comment: 'A cycle is two files that can only be understood together.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'nobody-imports-the-root',
      comment: 'src/index.ts is for users; code inside imports the file that it means.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^src/index[.]ts$' },
    },
    {
      name: 'providers-are-strangers',
      comment: 'A provider knows nothing of another one.',
      severity: 'error',
      from: { path: '^src/providers/([^/]+)/' },
      to: { path: '^src/providers/([^/]+)/', pathNot: '^src/providers/$1/' },
    },
    {
      name: 'imports-resolve',
      comment: 'An import that leads nowhere is checked by no other rule.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-development-packages',
      comment: 'Who installs the package does not get its development dependencies.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only', 'npm-peer'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
