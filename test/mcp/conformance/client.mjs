// The client under test: connects to the server of a scenario, calls each of its tools as a program does, and leaves.
// Usage: client.mjs provider|command-line URL
import { invokeTool } from '../../../dist/calls/invoke-tool.js';
import { mcpTools } from '../../../dist/mcp/client/mcp-tools.js';
import { ToolRegistry } from '../../../dist/tools/registry.js';
import { commandLineLogin, providerLogin } from './logins.mjs';

const [, , loginName, url] = process.argv;
const scenario = process.env.MCP_CONFORMANCE_SCENARIO;
/** What a scenario tells the client beside its address. */
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');

/** A value of each type. */
const VALUES = { string: 'text', number: 1.5, integer: 1, boolean: true, array: [], object: {} };
/** How often a person logs in at most. */
const MAX_LOGINS = 2;
let logins = 0;

const login = await chooseLogin();
const source = await connect();
const registry = new ToolRegistry();
registry.addSource(source);
for (const { name, arguments: input } of context.toolCalls ?? source.tools().map(callOf)) {
  // A person logs in with more rights, and the call is made again.
  if ((await call(name, input)) === 'Unavailable' && (await logIn())) await call(name, input);
}
await source.close();

async function chooseLogin() {
  if (!scenario.startsWith('auth/')) return undefined;
  const { client_id, client_secret } = context;
  if (loginName === 'command-line') return commandLineLogin(client_id);
  return providerLogin(url, client_id && { client_id, client_secret });
}

async function connect() {
  const server = {
    name: 'suite',
    url,
    onElicitation: answer,
    resources: scenario === 'http-standard-headers',
    ...(login && { auth: login.auth }),
  };
  for (;;) {
    try {
      return await mcpTools(server);
    } catch (error) {
      if (error.code !== 'MCP_LOGIN_REQUIRED' || !(await logIn())) throw error;
    }
  }
}

async function logIn() {
  if (login === undefined || logins === MAX_LOGINS) return false;
  logins += 1;
  await login.logIn();
  return true;
}

/** @returns the type of the error, if the call failed. */
async function call(tool, input) {
  const { ok, failure } = await invokeTool(registry, {
    toolName: tool.startsWith('suite:') ? tool : `suite:${tool}`,
    arguments: input,
    callId: '1',
    caller: 'code',
    origin: { sessionId: 'session', labels: {}, runId: 'run' },
    signal: new AbortController().signal,
  });
  if (ok) return undefined;
  console.error(`${tool}: ${failure.type}: ${failure.message}`);
  return failure.type;
}

/** A user who sends the form as it is shown, with its defaults. */
function answer({ schema }) {
  return { action: 'accept', content: valuesFor(schema) };
}

/** A call that fits a tool of the scenarios. */
function callOf({ name, inputSchema }) {
  if (name.endsWith('json_schema_echo')) {
    const echoed = source.tools().find((tool) => tool.name.endsWith('json_schema_2020_12_tool'));
    return { name, arguments: { schema: echoed.inputSchema } };
  }
  if (name.endsWith('read_resource'))
    return { name, arguments: { uri: 'file:///path/to/file%20name.txt' } };
  return { name, arguments: valuesFor(inputSchema) };
}

function valuesFor({ properties = {} }) {
  const fields = Object.entries(properties);
  return Object.fromEntries(
    fields.map(([name, { default: preset, type }]) => [name, preset ?? VALUES[type] ?? null]),
  );
}
