import { readdirSync, readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { EXECUTE_CODE_TOOL } from '../../src/ai-sdk/code/options.ts';
import { AUDIT_OPTIONS } from '../../src/audit/options.ts';
import { DEFAULT_BUDGETS } from '../../src/execution/limits/execution-budgets.ts';
import { MCP_SAMPLING } from '../../src/mcp/client/requests/sampling.ts';
import { MCP_LISTEN } from '../../src/mcp/server/http/access.ts';
import { MCP_CODE_SERVER } from '../../src/mcp/server/options.ts';
import { ANTHROPIC_OPTIONS } from '../../src/models/anthropic/model.ts';
import { BEDROCK_OPTIONS } from '../../src/models/bedrock/model.ts';
import { OPENAI_OPTIONS } from '../../src/models/openai/model.ts';
import { OPENAPI_TOOLS } from '../../src/openapi/options.ts';
import { fileInputOptions } from '../../src/orchestrator/files/given-files.ts';
import { CODE_TOOL } from '../../src/orchestrator/code/code-tool-options.ts';
import { ORCHESTRATOR_NAMES, RUN_NAMES } from '../../src/orchestrator/option-names.ts';
import { BUBBLEWRAP_OPTIONS } from '../../src/providers/bubblewrap/interpreters/options.ts';
import { BUILD_IMAGE } from '../../src/providers/docker/image/build-image.ts';
import { KUBERNETES_OPTIONS } from '../../src/providers/kubernetes/kubernetes-provider.ts';
import { DOCKER_OPTIONS } from '../../src/providers/docker/docker-provider.ts';
import { EMBEDDED_OPTIONS } from '../../src/providers/embedded/embedded-provider.ts';
import { DEFAULT_LIMITS } from '../../src/sandbox/sandbox.ts';
import {
  ACQUIRE_NAMES,
  BUDGET_NAMES,
  EXECUTOR_NAMES,
  LIMIT_NAMES,
  PROGRAM_NAMES,
  QUOTA_NAMES,
} from '../../src/sessions/options/option-names.ts';
import type { SandboxExecutorOptions } from '../../src/sessions/options/executor-options.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { SUBJECT } from '../../src/testing/contract-suite.ts';
import { WAY } from '../../src/testing/policy/policy-suite.ts';
import { DEFINITION } from '../../src/tools/define-tool.ts';
import { GRANT_OPTIONS } from '../../src/tools/policy/grants/grant.ts';
import { RULE_NAMES } from '../../src/tools/policy/policy.ts';
import { POLICY_NAMES } from '../../src/tools/policy/policy-gate.ts';

/** A table of a page: the first cell of its heading, and its rows. */
interface Table {
  readonly place: string;
  readonly rows: readonly (readonly string[])[];
}

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** All tables of a page. Their places are the page and the heading of the table's section. */
function tablesOf(page: string): Table[] {
  const lines = readFileSync(`docs/${page}`, 'utf8').split('\n');
  const tables: Table[] = [];
  let section = '';
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('#')) section = line.replace(/^#+ /, '');
    if (!line.startsWith('| -') && !line.startsWith('|-')) continue;
    const [first = ''] = cellsOf(lines[index - 1] ?? '');
    const rest = lines.slice(index + 1);
    const end = [...rest, ''].findIndex((row) => !row.startsWith('|'));
    tables.push({ place: `${page}#${section}: ${first}`, rows: rest.slice(0, end).map(cellsOf) });
  }
  return tables;
}

const TABLES = readdirSync('docs')
  .filter((page) => page.endsWith('.md'))
  .flatMap(tablesOf);

const namesIn = ({ rows }: Table): string[] =>
  rows.flatMap(([first = '']) => Array.from(first.matchAll(/`(\w+)`/g), ([, name = '']) => name));

function tableOf(place: string): Table {
  const found = TABLES.filter((table) => table.place === place);
  expect(found).toEqual([expect.objectContaining({ place })]);
  return found[0] ?? { place, rows: [] };
}

/** The settings of a conversation that a run can override are in the table of the conversation. */
const OF_CONVERSATION = Object.keys(RUN_NAMES).filter(
  (name) => !['signal', 'onEvent', 'output', 'context', 'labels', 'tools'].includes(name),
);

/** Each table of options, what it describes, and which options it leaves to another place. */
const OPTION_TABLES: readonly (readonly [string, object, readonly string[]])[] = [
  ['sessions.md#Options of an executor: option', EXECUTOR_NAMES, []],
  ['sessions.md#Open a session: option', ACQUIRE_NAMES, []],
  // For conversations and the code tool only.
  ['sessions.md#Run a program: option', PROGRAM_NAMES, ['callLog']],
  ['servers.md#Many tenants in one process: option of `quotas`', QUOTA_NAMES, []],
  ['conversations.md#Ask the model: option of a run', RUN_NAMES, OF_CONVERSATION],
  ['conversations.md#Options of a conversation: option', ORCHESTRATOR_NAMES, []],
  // For the orchestrator only.
  ['agent-loops.md#Options of `codeTool`: option', CODE_TOOL.names, ['state', 'files', 'closing']],
  ['input-files.md#Files as input of a run: field', fileInputOptions('input[0]').names, ['type']],
  ['ai-sdk.md#Options of `executeCodeTool`: option', EXECUTE_CODE_TOOL.names, []],
  ['mcp-server.md#Embed it in a program: option', MCP_CODE_SERVER.names, []],
  ['mcp-server.md#Embed it in a program: option of `listen`', MCP_LISTEN.names, []],
  ['audit.md#Write a log: option', AUDIT_OPTIONS.names, []],
  [
    'models.md#Options of the adapters: option',
    { ...ANTHROPIC_OPTIONS.names, ...BEDROCK_OPTIONS.names, ...OPENAI_OPTIONS.names },
    [],
  ],
  ['mcp.md#Ask a model: option of `sampling`', MCP_SAMPLING.names, []],
  ['sandboxes.md#Bubblewrap: option', BUBBLEWRAP_OPTIONS.names, []],
  ['sandboxes.md#Embedded: option', EMBEDDED_OPTIONS.names, []],
  ['libraries.md#Docker: option', BUILD_IMAGE.names, []],
  ['sandboxes.md#Docker: option', DOCKER_OPTIONS.names, []],
  ['cluster.md#Use it: option', KUBERNETES_OPTIONS.names, []],
  ['testing.md#Options of a suite: option', SUBJECT.names, []],
  ['testing.md#Test an adapter: option', WAY.names, []],
  ['policy.md#Policy and approvals: field of `policy`', POLICY_NAMES, []],
  ['policy.md#Rules: field', RULE_NAMES, []],
  ['policy.md#Approve further calls in advance: field of `grant`', GRANT_OPTIONS.names, []],
  ['openapi.md#Options: option', OPENAPI_TOOLS.names, []],
  ['tools.md#Define a tool: field', DEFINITION.names, []],
];

describe('the tables of options in the documentation', () => {
  it.each(OPTION_TABLES)('%s has all options, and no others', (place, names, elsewhere) => {
    const expected = Object.keys(names).filter((name) => !elsewhere.includes(name));
    expect([...new Set(namesIn(tableOf(place)))].sort()).toEqual(expected.sort());
  });

  it('are all compared with the code, except those of commands', () => {
    const compared = new Set(OPTION_TABLES.map(([place]) => place));
    const others = TABLES.filter(({ place, rows }) => {
      const isOfCommand = rows.some(([first = '']) => first.includes('--'));
      return /: option\b/.test(place) && !isOfCommand && !compared.has(place);
    });
    expect(others.map(({ place }) => place)).toEqual([]);
  });

  it('have the limits and budgets of the code in their example, whose values are the defaults', () => {
    const page = readFileSync('docs/sessions.md', 'utf8');
    const section = page.slice(page.indexOf('## Limits'));
    const [, shown = ''] = /new SandboxExecutor\((\{.*?\n\})\);/s.exec(section) ?? [];
    const { programTimeoutMs, limits, budgets } = runInNewContext(
      `(${shown})`,
    ) as SandboxExecutorOptions;
    expect({ ...limits }).toEqual(DEFAULT_LIMITS);
    expect({ ...budgets }).toEqual(DEFAULT_BUDGETS);
    expect(programTimeoutMs).toBe(new SandboxExecutor().programTimeoutMs);
    expect(Object.keys({ ...limits })).toEqual(Object.keys(LIMIT_NAMES));
    expect(Object.keys({ ...budgets })).toEqual(Object.keys(BUDGET_NAMES));
  });
});
