import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';

const loader = fileURLToPath(new URL('../support/typescript-loader.mjs', import.meta.url));
const source = new URL('../../src/', import.meta.url).href;

const clients = ['@anthropic-ai/sdk', '@aws-sdk/client-bedrock-runtime', 'openai'];

/** Has Node look for the clients where there are none, as on a machine without them. */
const withoutClients = `
  import { register } from 'node:module';
  register('data:text/javascript,' + encodeURIComponent(\`
    const clients = ${JSON.stringify(clients)};
    export function resolve(name, context, next) {
      return next(name, clients.includes(name) ? { ...context, parentURL: 'file:///nowhere/' } : context);
    }
  \`));
`;

const program = `
  const failureOf = (promise) => promise.then(() => 'none', (error) => error);
  const { anthropicModel } = await import('${source}models/anthropic/model.ts');
  const { bedrockModel } = await import('${source}models/bedrock/model.ts');
  const { openaiModel } = await import('${source}models/openai/model.ts');
  const request = { system: '', messages: [], tools: [], maxTokens: 1 };
  const asked = async (model) => {
    const error = await failureOf(model.stream(request)[Symbol.asyncIterator]().next());
    return { code: error.code, message: error.message, cause: error.cause?.code };
  };
  console.log(JSON.stringify({
    root: String(await failureOf(import('${source}index.ts'))),
    '@anthropic-ai/sdk': await asked(anthropicModel({ model: 'm', apiKey: 'k' })),
    '@aws-sdk/client-bedrock-runtime': await asked(bedrockModel({ model: 'm' })),
    openai: await asked(openaiModel({ model: 'm', apiKey: 'k' })),
  }));
`;

describe('where no client of a model service is installed', () => {
  let seen: Record<string, unknown> = {};
  beforeAll(async () => {
    const hook = `data:text/javascript,${encodeURIComponent(withoutClients)}`;
    const hooks = ['--import', loader, '--import', hook];
    const options = [...hooks, '--input-type=module', '--eval', program];
    const { stdout } = await promisify(execFile)(process.execPath, options);
    seen = JSON.parse(stdout) as typeof seen;
  });

  it('the root can be imported, since it does not load them', () => {
    expect(seen['root']).toBe('none');
  });

  it.each(clients)('the first request says how to install %s', (name) => {
    expect(seen[name]).toEqual({
      code: 'MODEL_REQUEST_FAILED',
      message: expect.stringMatching(new RegExp(`npm install ${name}$`)),
      cause: 'ERR_MODULE_NOT_FOUND',
    });
  });
});
