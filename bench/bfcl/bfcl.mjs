// `npm run bench:bfcl -- DIRECTORY`: the reference calls of BFCL's multi-turn tasks as programs, compared with
// their direct replay. docs/performance.md explains it.

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { SandboxExecutor, ToolRegistry } from '../../dist/index.js';
import { mcpTools } from '../../dist/mcp/index.js';
import { loadProvider } from '../../dist/providers/select-provider.js';
import { PROGRAMS } from './programs.mjs';
import { codePrompt, directPrompt, Tokens } from './tokens.mjs';

const HELP = `npm run bench:bfcl -- DIRECTORY [options]

DIRECTORY is berkeley-function-call-leaderboard of a clone of https://github.com/ShishirPatil/gorilla.
Python needs the package mpmath.

  --provider NAME  where programs run (default bubblewrap)
  --only TEXT      only tasks with this text in their ids, such as base_1
  --help           this text

The exit status is 1 if a result or a state differs from that of the direct replay, except in the tasks 173.
`;

const SHOWN = 10;
/**
 * Its reference closes the ticket 'ticket_001', but the documentation of `close_ticket` asks for an integer, so
 * the call is refused.
 */
const KNOWN_TASK = /_173$/;
const MAX_OUTPUT_BYTES = 16 * 2 ** 20;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    provider: { type: 'string', default: 'bubblewrap' },
    only: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
});
if (options.help || positionals.length !== 1) {
  process.stdout.write(HELP);
  if (!options.help) process.exitCode = 2;
} else await main(positionals[0]);

async function main(directory) {
  const client = new Client({ name: 'bfcl', version: '1' });
  const server = fileURLToPath(new URL('server.py', import.meta.url));
  await client.connect(new StdioClientTransport({ command: 'python3', args: [server, directory] }));
  const provider = await loadProvider(options.provider, () => {});
  const source = await mcpTools({ name: 'bfcl', client });
  const tools = new ToolRegistry();
  tools.addSource(source);
  const languages = Object.keys(PROGRAMS).filter((name) => provider.languages.includes(name));
  const executor = new SandboxExecutor({
    provider,
    tools,
    languages,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  try {
    const ask = async (name, given = {}) => {
      const { content } = await client.callTool({ name: `bfcl_${name}`, arguments: given });
      return JSON.parse(content[0].text);
    };
    const session = await executor.acquire();
    report(await runTasks({ ask, session, languages, tools: tools.list() }));
  } finally {
    await executor.close();
    await source.close();
    await client.close();
    await provider.close();
  }
}

async function runTasks({ ask, session, languages, tools }) {
  const all = await ask('tasks');
  const tasks = all.filter(({ id }) => id.includes(options.only));
  const counts = { tasks: tasks.length, calls: 0 };
  const rows = new Map(
    ['calls one by one', 'calls of a turn at once', ...languages].map((name) => [name, newRow()]),
  );
  for (const [at, { id, tools: names, questions }] of tasks.entries()) {
    if (at % 50 === 0) console.error(`${at} of ${tasks.length} tasks`);
    const { turns, texts } = await ask('direct', { id });
    const own = tools.filter(({ name }) => names.includes(name.slice('bfcl:'.length)));
    counts.calls += turns.flat().length;
    addDirect(rows, own, { questions, turns, texts });
    for (const language of languages) {
      await ask('load', { id });
      const row = rows.get(language);
      const lines = [];
      const told = [];
      for (const [turn, calls] of turns.entries()) {
        const code = calls.length > 0 ? PROGRAMS[language](calls) : undefined;
        const printed = code === undefined ? '' : await run(session, language, code);
        lines.push(printed.split('\n').filter(Boolean));
        told.push({
          question: questions[turn],
          steps: code === undefined ? [] : [{ written: code, result: printed }],
        });
      }
      row.tokens.add(codePrompt(language, own), told);
      const { wrong, isStateSame } = await ask('compare', { lines });
      row.wrong.push(...wrong.map((one) => ({ id, ...one })));
      if (!isStateSame) row.wrongStates.push(id);
    }
  }
  return { counts, rows };
}

function newRow() {
  return { tokens: new Tokens(), wrong: [], wrongStates: [] };
}

function addDirect(rows, tools, { questions, turns, texts }) {
  const prompt = directPrompt(tools);
  const steps = turns.map((calls, turn) =>
    calls.map((call, at) => ({ written: JSON.stringify(call), result: texts[turn][at] })),
  );
  const atOnce = (all) => ({
    written: all.map(({ written }) => written).join(''),
    result: all.map(({ result }) => result).join(''),
  });
  const told = (choose) =>
    questions.map((question, turn) => ({ question, steps: choose(steps[turn]) }));
  rows.get('calls one by one').tokens.add(
    prompt,
    told((all) => all),
  );
  rows.get('calls of a turn at once').tokens.add(
    prompt,
    told((all) => (all.length > 0 ? [atOnce(all)] : [])),
  );
}

async function run(session, language, code) {
  const result = await session.execute(code, { language });
  // What goes wrong shows in the lines that are missing.
  if (!result.success)
    console.error(
      `${language}: ${result.status} ${result.stderr.slice(0, 500)}\n${code.slice(0, 500)}`,
    );
  return result.stdout;
}

function report({ counts, rows }) {
  const { tasks, calls } = counts;
  console.log(`${tasks} tasks, ${calls} reference calls\n`);
  const table = [...rows].map(([name, { tokens, wrong, wrongStates }]) => ({
    by: name,
    'results equal': name in PROGRAMS ? `${calls - wrong.length} of ${calls}` : '',
    'states equal': name in PROGRAMS ? `${tasks - wrongStates.length} of ${tasks}` : '',
    requests: tokens.requests,
    'tokens written': tokens.written,
    'tokens read': tokens.read,
  }));
  console.table(table);
  for (const [name, { wrong, wrongStates }] of rows) {
    for (const one of wrong.slice(0, SHOWN)) console.log(name, JSON.stringify(one));
    if (wrongStates.length > 0)
      console.log(`${name}: other states: ${wrongStates.slice(0, SHOWN).join(', ')}`);
    const different = [...wrong.map(({ id }) => id), ...wrongStates];
    if (!different.every((id) => KNOWN_TASK.test(id))) process.exitCode = 1;
  }
}
