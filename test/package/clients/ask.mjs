// Asks a server with one version of a client: node ask.mjs <alias of the version> <address>
// Three requests go through a client that the adapter is given, a fourth to where nobody listens, a fifth through a
// client that the adapter makes.
import { once } from 'node:events';
import { register } from 'node:module';
import { createServer } from 'node:net';

const [alias = '', address = ''] = process.argv.slice(2);

const unused = createServer().listen(0, '127.0.0.1');
await once(unused, 'listening');
const nowhere = `http://127.0.0.1:${unused.address().port}`;
unused.close();

const SERVICES = {
  anthropic: {
    name: '@anthropic-ai/sdk',
    given: ({ default: Client }, baseURL) => new Client({ apiKey: 'k', baseURL, maxRetries: 0 }),
    made: { apiKey: 'k', baseUrl: address },
    settings: { effort: 'low', extra: { speed: 'fast' }, headers: { 'x-gateway': 'blue' } },
    adapter: 'anthropicModel',
  },
  bedrock: {
    name: '@aws-sdk/client-bedrock-runtime',
    given: ({ BedrockRuntimeClient: Client }, endpoint) => new Client({ endpoint, maxAttempts: 1 }),
    // The address is in the environment.
    made: {},
    settings: { serviceTier: 'flex', extra: { inferenceConfig: { temperature: 0 } } },
    adapter: 'bedrockModel',
  },
  openai: {
    name: 'openai',
    given: ({ default: Client }, baseURL) => new Client({ apiKey: 'k', baseURL, maxRetries: 0 }),
    made: { apiKey: 'k', baseUrl: address },
    settings: { effort: 'low', extra: { prompt_cache_key: 'k' }, headers: { 'x-gateway': 'blue' } },
    adapter: 'openaiModel',
  },
};

const service = alias.slice(0, alias.indexOf('-'));
const { name, given, made, settings, adapter } = SERVICES[service];
register('./stand-in.mjs', import.meta.url, { data: { name, alias, parentURL: import.meta.url } });
const { [adapter]: createModel } = await import(`sandboxed-ptc/${service}`);
const client = given(await import(alias), address);

const outcomes = [];
for (const options of [
  { client },
  { client },
  { client },
  { client: given(await import(alias), nowhere) },
  made,
]) {
  outcomes.push(await ask(createModel({ model: 'test', ...settings, ...options })));
}
console.log(JSON.stringify(outcomes));
process.exit();

async function ask(model) {
  try {
    const request = {
      system: 'Answer briefly.',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Which orders?' }] }],
      tools: [{ name: 'run', description: 'Runs.', inputSchema: { type: 'object' } }],
      maxTokens: 100,
    };
    let end;
    for await (const part of model.stream(request)) end = part;
    return end;
  } catch ({ code, message }) {
    return { code, message };
  }
}
