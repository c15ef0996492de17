import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { startAnthropicServer, wholeAnswer } from '../support/anthropic-server.ts';
import { startBedrockServer } from '../support/bedrock-server.ts';
import { answer, callDelta, startOpenAIServer } from '../support/openai-server.ts';
import { run } from './project.ts';

const directory = inject('clients');
const manifest = readFileSync('test/package/clients/package.json', 'utf8');
const { dependencies } = JSON.parse(manifest) as { dependencies: Record<string, string> };
const call = { type: 'tool-use', id: 'a', name: 'run', input: { code: 'print(7)' } };

function versionsOf(service: string): string[] {
  return Object.keys(dependencies).filter((alias) => alias.startsWith(`${service}-`));
}

/** What comes of the requests that `ask.mjs` makes with this version. */
async function outcomesOf(alias: string, address: string): Promise<unknown> {
  const environment = {
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: 'us-east-1',
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: address,
    // What the AWS client says of old versions of Node is none of the outcomes.
    NODE_NO_WARNINGS: '1',
  };
  const args = [join(directory, 'ask.mjs'), alias, address];
  return JSON.parse(await run(process.execPath, args, directory, environment));
}

describe('the types of the models', () => {
  it('take the clients of every supported version, library declarations checked too', async () => {
    const compiler = resolve('node_modules/.bin/tsc');
    await expect(run(compiler, ['-p', '.'], directory)).resolves.toBe('');
  });
});

const ANSWERED = { type: 'answer-ended', content: [call], stopReason: 'tool-use' };

/** What the requests of each client come to. */
const OUTCOMES = [
  ANSWERED,
  { code: 'MODEL_OVERLOADED', message: expect.stringContaining('Busy.') },
  { code: 'MODEL_AUTHENTICATION_FAILED', message: expect.stringContaining('No such key.') },
  { code: 'MODEL_REQUEST_FAILED', message: expect.stringContaining('ECONNREFUSED') },
  ANSWERED,
];

describe('a client of the Anthropic SDK', () => {
  it.each(versionsOf('anthropic'))('%s works', async (alias) => {
    const content = [{ type: 'tool_use', id: 'a', name: 'run', input: call.input }] as const;
    const events = wholeAnswer({ content, stopReason: 'tool_use' });
    const error = { type: 'overloaded_error', message: 'Busy.' };
    await using server = await startAnthropicServer([
      { events, ending: 'end' },
      { events: [...events.slice(0, 3), { type: 'error', error }], ending: 'end' },
      { status: 401, error: { type: 'authentication_error', message: 'No such key.' } },
      { events, ending: 'end' },
    ]);
    await expect(outcomesOf(alias, server.baseUrl)).resolves.toMatchObject(OUTCOMES);
    expect(server.requests[0]).toMatchObject({
      headers: { 'x-gateway': 'blue' },
      body: { output_config: { effort: 'low' }, speed: 'fast' },
    });
  });
});

describe('a client of the OpenAI SDK', () => {
  it.each(versionsOf('openai'))('%s works', async (alias) => {
    const input = JSON.stringify(call.input);
    const whole = answer([callDelta(0, input, { id: 'a', name: 'run' })], 'tool_calls');
    const error = { type: 'rate_limit_error', message: 'Busy.' };
    await using server = await startOpenAIServer([
      whole,
      { chunks: [{ error }], ending: 'end' },
      { status: 401, body: { error: { code: 'invalid_api_key', message: 'No such key.' } } },
      whole,
    ]);
    await expect(outcomesOf(alias, server.baseUrl)).resolves.toMatchObject(OUTCOMES);
    expect(server.requests[0]).toMatchObject({
      headers: { 'x-gateway': 'blue' },
      body: { reasoning_effort: 'low', prompt_cache_key: 'k' },
    });
  });
});

describe('a client of the AWS SDK', () => {
  it.each(versionsOf('bedrock'))('%s works', async (alias) => {
    const toolUse = { toolUseId: 'a', name: 'run' };
    const input = JSON.stringify(call.input);
    const begun = [
      { event: 'messageStart', fields: { role: 'assistant' } },
      { event: 'contentBlockStart', fields: { contentBlockIndex: 0, start: { toolUse } } },
      {
        event: 'contentBlockDelta',
        fields: { contentBlockIndex: 0, delta: { toolUse: { input } } },
      },
    ];
    const ended = { event: 'messageStop', fields: { stopReason: 'tool_use' } };
    const whole = { events: [...begun, ended], ending: 'end' } as const;
    const busy = { exception: 'throttlingException', fields: { message: 'Busy.' } };
    await using server = await startBedrockServer([
      whole,
      { events: [...begun, busy], ending: 'end' },
      { status: 403, exception: 'UnrecognizedClientException', message: 'No such key.' },
      whole,
    ]);
    await expect(outcomesOf(alias, server.origin)).resolves.toMatchObject(OUTCOMES);
    expect(server.requests[0]?.body).toMatchObject({
      serviceTier: { type: 'flex' },
      inferenceConfig: { maxTokens: 100, temperature: 0 },
    });
  });
});
