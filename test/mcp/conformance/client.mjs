// The client under test: for each scenario, connects to its server, calls each of its tools as a program does, and leaves.
// Usage: client.mjs provider|command-line SOCKET
// `ask-client.mjs` tells it of each scenario by the socket. The suite runs all of them at the same time, and its servers close
// connections that are not used for five seconds. So the client takes them one after another.
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { invokeTool } from '../../../dist/calls/invoke-tool.js';
import { CallCounter } from '../../../dist/calls/limits/call-counter.js';
import { mcpTools } from '../../../dist/mcp/client/mcp-tools.js';
import { ToolRegistry } from '../../../dist/tools/registry/registry.js';
import { commandLineLogin, providerLogin } from './logins.mjs';

const [, , loginName, socketPath] = process.argv;

/** A value of each type. */
const VALUES = { string: 'text', number: 1.5, integer: 1, boolean: true, array: [], object: {} };
/** How often a person logs in at most. */
const MAX_LOGINS = 2;

let last = Promise.resolve();
const listener = createServer((socket) => {
  socket.on('error', () => {});
  createInterface({ input: socket }).once('line', (line) => {
    last = last.then(async () => socket.end(JSON.stringify(await take(JSON.parse(line)))));
  });
});
listener.listen(socketPath, () => console.log('listening'));

/** @returns what the client says of a scenario, and whether it came to its end. */
async function take(given) {
  const said = [];
  try {
    await new Scenario(given, (line) => said.push(line)).run();
    return { said, ended: true };
  } catch (error) {
    said.push(String(error?.stack ?? error));
    return { said, ended: false };
  }
}

class Scenario {
  #name;
  #url;
  /** What the scenario tells the client beside its address. */
  #context;
  #say;
  #login;
  #logins = 0;
  #source;
  #registry = new ToolRegistry();
  #counter = CallCounter.ofProgram({ runId: 'run', sessionId: 'session' });

  constructor({ name, url, context }, say) {
    this.#name = name;
    this.#url = url;
    this.#context = context;
    this.#say = say;
  }

  async run() {
    this.#login = await this.#chooseLogin();
    this.#source = await this.#connect();
    this.#registry.addSource(this.#source);
    const calls = this.#context.toolCalls ?? this.#source.tools().map((tool) => this.#callOf(tool));
    for (const { name, arguments: input } of calls) {
      // A person logs in with more rights, and the call is made again.
      if ((await this.#call(name, input)) === 'Unavailable' && (await this.#logIn()))
        await this.#call(name, input);
    }
    await this.#source.close();
  }

  async #chooseLogin() {
    if (!this.#name.startsWith('auth/')) return undefined;
    const { client_id, client_secret } = this.#context;
    if (loginName === 'command-line') return commandLineLogin(client_id);
    return providerLogin(this.#url, client_id && { client_id, client_secret });
  }

  async #connect() {
    const server = {
      name: 'suite',
      url: this.#url,
      onElicitation: answer,
      resources: this.#name === 'http-standard-headers',
      ...(this.#login && { auth: this.#login.auth }),
    };
    for (;;) {
      try {
        return await mcpTools(server);
      } catch (error) {
        if (error.code !== 'MCP_LOGIN_REQUIRED' || !(await this.#logIn())) throw error;
      }
    }
  }

  async #logIn() {
    if (this.#login === undefined || this.#logins === MAX_LOGINS) return false;
    this.#logins += 1;
    await this.#login.logIn();
    return true;
  }

  /** @returns the type of the error, if the call failed. */
  async #call(tool, input) {
    const { ok, failure } = await invokeTool(this.#registry, {
      toolName: tool.startsWith('suite:') ? tool : `suite:${tool}`,
      arguments: input,
      callId: '1',
      caller: 'code',
      counter: this.#counter,
      origin: { sessionId: 'session', labels: {}, runId: 'run' },
      signal: new AbortController().signal,
    });
    if (ok) return undefined;
    this.#say(`${tool}: ${failure.type}: ${failure.message}`);
    return failure.type;
  }

  /** A call that fits a tool of the scenarios. */
  #callOf({ name, inputSchema }) {
    if (name.endsWith('json_schema_echo')) {
      const isEchoed = (tool) => tool.name.endsWith('json_schema_2020_12_tool');
      return { name, arguments: { schema: this.#source.tools().find(isEchoed).inputSchema } };
    }
    if (name.endsWith('read_resource'))
      return { name, arguments: { uri: 'file:///path/to/file%20name.txt' } };
    return { name, arguments: valuesFor(inputSchema) };
  }
}

/** A user who sends the form as it is shown, with its defaults. */
function answer({ schema }) {
  return { action: 'accept', content: valuesFor(schema) };
}

function valuesFor({ properties = {} }) {
  const fields = Object.entries(properties);
  return Object.fromEntries(
    fields.map(([name, { default: preset, type }]) => [name, preset ?? VALUES[type] ?? null]),
  );
}
