import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';

const loader = fileURLToPath(new URL('../support/typescript-loader.mjs', import.meta.url));
const source = new URL('../../src/', import.meta.url).href;

/** Has Node look for the `openai` package where there is none, as on a machine without it. */
const withoutOpenAI = `
  import { register } from 'node:module';
  register('data:text/javascript,' + encodeURIComponent(\`
    export function resolve(name, context, next) {
      return next(name, name === 'openai' ? { ...context, parentURL: 'file:///nowhere/' } : context);
    }
  \`));
`;

const program = `
  const failureOf = (promise) => promise.then(() => 'none', (error) => error);
  const { openaiModel } = await import('${source}models/openai.ts');
  const model = openaiModel({ model: 'gpt-test', apiKey: 'k' });
  const request = { system: '', messages: [], tools: [], maxTokens: 1 };
  const asked = await failureOf(model.stream(request)[Symbol.asyncIterator]().next());
  console.log(JSON.stringify({
    control: (await failureOf(import('openai'))).code,
    root: String(await failureOf(import('${source}index.ts'))),
    asked: { code: asked.code, message: asked.message, cause: asked.cause?.code },
  }));
`;

describe('where the openai package is not installed', () => {
  let seen: unknown;
  beforeAll(async () => {
    const hook = `data:text/javascript,${encodeURIComponent(withoutOpenAI)}`;
    const hooks = ['--import', loader, '--import', hook];
    const options = [...hooks, '--input-type=module', '--eval', program];
    const { stdout } = await promisify(execFile)(process.execPath, options);
    seen = JSON.parse(stdout);
  });

  it('the root can be imported, since it does not load it', () => {
    expect(seen).toMatchObject({ control: 'ERR_MODULE_NOT_FOUND', root: 'none' });
  });

  it('the first request says how to install it', () => {
    expect(seen).toMatchObject({
      asked: {
        code: 'MODEL_REQUEST_FAILED',
        message: expect.stringMatching(/npm install openai$/),
        cause: 'ERR_MODULE_NOT_FOUND',
      },
    });
  });
});
