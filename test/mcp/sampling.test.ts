import { inputRequired } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { mcpTools } from '../../src/mcp/client/mcp-tools.ts';
import type { McpSampling } from '../../src/mcp/client/requests/sampling.ts';
import type { ModelRequest } from '../../src/models/language-model.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { askingServer } from './servers/asking.ts';
import { ERA_NAMES, ERAS } from './servers/http.ts';
import { callerOf, scriptedServer, scriptedTool, warningsOf } from './support.ts';

type Params = Parameters<typeof inputRequired.createMessage>[0];
type Message = Params['messages'][number];

function says(role: 'user' | 'assistant', text: string): Message {
  return { role, content: { type: 'text', text } };
}

const PARAMS: Params = { messages: [says('user', 'Sum it up.')], maxTokens: 50 };

/** A model that answers with the number of the request. Keeps the requests. */
function countingModel(): { readonly model: McpSampling['model']; readonly asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  const model = scriptedModel((request) => {
    asked.push(request);
    return [{ type: 'text', text: `Answer ${asked.length}` }];
  });
  return { model, asked };
}

describe.each(ERA_NAMES)('a server of %s', (era) => {
  async function callOf(
    sampling: McpSampling | undefined,
    params = PARAMS,
  ): ReturnType<typeof callerOf> {
    const { url } = await ERAS[era](() => askingServer(inputRequired.createMessage(params)));
    return callerOf({ name: 'asking', url, ...(sampling && { sampling }) });
  }

  it('gets the answer of the model', async () => {
    const { model, asked } = countingModel();
    const params: Params = {
      messages: [
        says('user', 'Hello.'),
        says('assistant', 'Yes?'),
        { role: 'user', content: { type: 'image', mimeType: 'image/png', data: 'iVBO' } },
        says('user', 'What is it?'),
      ],
      systemPrompt: 'Be short.',
      maxTokens: 1_000_000,
      temperature: 2,
      modelPreferences: { hints: [{ name: 'largest' }] },
    };
    const { call } = await callOf({ model, maxTokens: 200 }, params);
    expect(await call('ask')).toMatchObject({
      model: 'scripted',
      role: 'assistant',
      content: { type: 'text', text: 'Answer 1' },
      stopReason: 'endTurn',
    });
    expect(asked[0]).toEqual({
      system: 'Be short.',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Hello.' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'Yes?' }] },
        {
          role: 'user',
          content: [
            { type: 'image', mediaType: 'image/png', data: 'iVBO' },
            { type: 'text', text: 'What is it?' },
          ],
        },
      ],
      tools: [],
      maxTokens: 200,
      signal: expect.any(AbortSignal),
    });
  });

  it('gets nothing without a model', async () => {
    const { call } = await callOf(undefined);
    expect(await call('ask')).toMatchObject({ type: 'Failed' });
  });

  it('makes no more requests than it may', async () => {
    const { model, asked } = countingModel();
    const { call } = await callOf({ model, maxRequests: 2 });
    expect(await call('ask')).toMatchObject({ content: { text: 'Answer 1' } });
    expect(await call('ask')).toMatchObject({ content: { text: 'Answer 2' } });
    expect(await call('ask')).toMatchObject({
      type: 'Failed',
      message: expect.stringContaining('the limit of 2 requests is used up'),
    });
    expect(asked).toHaveLength(2);
  });

  it('does not learn why the model failed', async () => {
    const warnings = warningsOf('PTC_MCP_SAMPLING');
    const model = scriptedModel(() => {
      throw new Error('the key sk-1 is invalid');
    });
    const { call } = await callOf({ model });
    expect(await call('ask')).toMatchObject({
      type: 'Failed',
      message: expect.stringContaining('the model failed'),
    });
    expect(await call('ask')).not.toMatchObject({ message: expect.stringContaining('sk-1') });
    await expect.poll(() => warnings[0]).toContain('The model that the MCP server asking asked');
  });

  it('ends the request to the model with its call', async () => {
    const asked = createDeferred<AbortSignal | undefined>();
    const { call } = await callOf({
      model: {
        id: 'slow',
        async *stream({ signal }) {
          asked.resolve(signal);
          await new Promise<never>(() => {});
          yield* [];
        },
      },
    });
    const stop = new AbortController();
    const called = call('ask', {}, { signal: stop.signal });
    const signal = await asked.promise;
    stop.abort();
    expect(await called).toMatchObject({ type: 'Cancelled' });
    await expect.poll(() => signal?.aborted).toBe(true);
  });
});

/** The answers to many requests that a server sends at once. */
async function answersTo(
  params: object,
  times: number,
  sampling: McpSampling,
): Promise<readonly { readonly message?: string; readonly content?: object }[]> {
  const script = {
    tools: [scriptedTool('ask')],
    results: { ask: { ask: 'sampling/createMessage', params, times } },
  };
  const { call } = await callerOf({ ...scriptedServer(script), sampling });
  return (await call('ask')) as readonly object[];
}

it('uses no more tokens than it may, however many requests come at once', async () => {
  const { model, asked } = countingModel();
  const answers = await answersTo(PARAMS, 8, { model, maxTotalTokens: 200 });
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.length).toBeLessThan(8);
  const refused = answers.filter(({ message }) => message !== undefined);
  expect(refused).toHaveLength(8 - asked.length);
  expect(refused[0]?.message).toMatch(/it may need \d+ tokens, and \d+ of 200 are left/);
});

it('counts no request that is refused because no call waits for its answer', async () => {
  const { model, asked } = countingModel();
  const { call } = await callerOf({
    ...scriptedServer({
      tools: [scriptedTool('ask')],
      early: { id: 'early', method: 'sampling/createMessage', params: PARAMS },
      results: { ask: { ask: 'sampling/createMessage', params: PARAMS, times: 2 } },
    }),
    sampling: { model, maxRequests: 2 },
  });
  expect(await call('ask')).toMatchObject([
    { message: expect.stringContaining('no call waits for the answer') },
    { content: { text: expect.stringContaining('Answer') } },
  ]);
  expect(asked).toHaveLength(2);
});

it('keeps its limits when a server starts again', async () => {
  const { model, asked } = countingModel();
  const { call } = await callerOf({
    ...scriptedServer({
      tools: [scriptedTool('ask'), scriptedTool('die')],
      results: { ask: { ask: 'sampling/createMessage', params: PARAMS, times: 1 }, die: 'exit' },
    }),
    sampling: { model, maxRequests: 1 },
  });
  expect(await call('ask')).toMatchObject([{ content: { text: 'Answer 1' } }]);
  expect(await call('die')).toMatchObject({ type: 'Unavailable' });
  await expect
    .poll(async () => call('ask'))
    .toMatchObject([{ message: expect.stringContaining('1 requests is used up') }]);
  expect(asked).toHaveLength(1);
});

it.each([
  ['sounds', [{ role: 'user', content: { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' } }]],
  ['other images', [{ role: 'user', content: { type: 'image', mimeType: 'image/x', data: 'AA' } }]],
  [
    'images of the model',
    [{ role: 'assistant', content: { type: 'image', mimeType: 'image/png', data: 'AAAA' } }],
  ],
])('refuses %s', async (_what, messages) => {
  const { model, asked } = countingModel();
  const [answer] = await answersTo({ messages, maxTokens: 10 }, 1, { model });
  expect(answer).toMatchObject({ code: -1, message: expect.stringContaining('was refused') });
  expect(asked).toEqual([]);
});

it('refuses tools', async () => {
  const { model } = countingModel();
  const tools = [{ name: 'a', inputSchema: { type: 'object' } }];
  const [answer] = await answersTo({ ...PARAMS, tools }, 1, { model });
  expect(answer).toMatchObject({ message: expect.stringContaining('tools cannot be used') });
});

it.each([
  [{}, 'needs the option model'],
  [{ model: {} }, 'sampling.model must be a model'],
  [{ model: countingModel().model, maxTokens: 0 }, 'sampling.maxTokens must be a whole number'],
  [{ model: countingModel().model, budget: 1 }, 'has no option budget'],
])('refuses the options %j', async (sampling, reason) => {
  await expect(
    mcpTools({ name: 'a', url: 'http://127.0.0.1', sampling: sampling as McpSampling }),
  ).rejects.toMatchObject({ code: 'OPTION_INVALID', message: expect.stringContaining(reason) });
});
