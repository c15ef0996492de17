import { inputRequired } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { mcpTools } from '../../src/mcp/client/mcp-tools.ts';
import type {
  McpElicitation,
  McpElicitationAnswer,
} from '../../src/mcp/client/requests/elicitation.ts';
import { readElicitation } from '../../src/mcp/client/requests/read-elicitation.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { askingServer } from './servers/asking.ts';
import { ERA_NAMES, ERAS } from './servers/http.ts';
import { callerOf, scriptedServer, scriptedTool, warningsOf } from './support.ts';

const FORM = inputRequired.elicit({
  message: 'Your \u001b[2Jname?',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Name\u202e', minLength: 2 },
      age: { type: 'integer' },
    },
    required: ['name'],
  },
});

const VISIT = inputRequired.elicitUrl({ message: 'Log in.', url: 'https://login.test/a?b=1' });

describe.each(ERA_NAMES)('a server of %s', (era) => {
  async function callOf(
    request: typeof FORM,
    onElicitation?: (
      request: McpElicitation,
    ) => McpElicitationAnswer | Promise<McpElicitationAnswer>,
  ): ReturnType<typeof callerOf> {
    const { url } = await ERAS[era](() => askingServer(request));
    return callerOf({ name: 'asking', url, ...(onElicitation && { onElicitation }) });
  }

  it('gets the values of a form that the handler returns', async () => {
    const asked: McpElicitation[] = [];
    const { call } = await callOf(FORM, (request) => {
      asked.push(request);
      return { action: 'accept', content: { name: 'Ada', other: 'left out' } };
    });
    expect(await call('ask')).toMatchObject({ action: 'accept', content: { name: 'Ada' } });
    expect(await call('ask')).not.toHaveProperty('content.other');
    expect(asked[0]).toEqual({
      mode: 'form',
      server: 'asking',
      message: String.raw`Your \x1b[2Jname?`,
      signal: expect.any(AbortSignal),
      schema: {
        type: 'object',
        properties: {
          name: { type: 'string', title: String.raw`Name\u202e`, minLength: 2 },
          age: { type: 'integer' },
        },
        required: ['name'],
      },
    });
  });

  it('is told whether the user visits a page', async () => {
    const asked: McpElicitation[] = [];
    const { call } = await callOf(VISIT, (request) => {
      asked.push(request);
      return { action: asked.length === 1 ? 'accept' : 'cancel' };
    });
    expect(await call('ask')).toMatchObject({ action: 'accept' });
    expect(await call('ask')).toMatchObject({ action: 'cancel' });
    expect(asked[0]).toMatchObject({ mode: 'url', url: 'https://login.test/a?b=1' });
  });

  it('gets nothing without a handler', async () => {
    const { call } = await callOf(FORM);
    expect(await call('ask')).toMatchObject({ type: 'Failed' });
  });

  it('is refused if the handler fails or returns wrong values, of which the warning says nothing', async () => {
    const warnings = warningsOf('PTC_MCP_ELICITATION');
    const answers: unknown[] = [
      undefined,
      { action: 'yes' },
      { action: 'accept' },
      { action: 'accept', content: { name: 'secret', age: 'hidden' } },
    ];
    const { call } = await callOf(FORM, () => {
      const answer = answers.shift();
      if (answer === undefined) throw new Error('nobody is there');
      return answer as McpElicitationAnswer;
    });
    for (let left = answers.length; left > 0; left--) {
      expect(await call('ask')).toMatchObject({ action: 'decline' });
    }
    await expect.poll(() => warnings).toHaveLength(4);
    expect(warnings[0]).toContain('onElicitation of the MCP server asking failed');
    expect(warnings[0]).toContain('nobody is there');
    expect(warnings[3]).toContain('age: expected integer');
    expect(warnings.join('')).not.toMatch(/secret|hidden/);
  });

  it('waits no longer than its call', async () => {
    const asked = createDeferred<McpElicitation>();
    const { call } = await callOf(FORM, async (request) => {
      asked.resolve(request);
      return new Promise<never>(() => {});
    });
    const stop = new AbortController();
    const called = call('ask', {}, { signal: stop.signal });
    const { signal } = await asked.promise;
    expect(signal.aborted).toBe(false);
    stop.abort();
    expect(await called).toMatchObject({ type: 'Cancelled' });
    await expect.poll(() => signal.aborted).toBe(true);
  });
});

const forms = { message: 'A?', requestedSchema: { type: 'object', properties: {} } };

it('asks for no more than ten things at a time', async () => {
  const waiting = createDeferred<McpElicitationAnswer>();
  let asked = 0;
  const { call } = await callerOf({
    ...scriptedServer({
      tools: [scriptedTool('ask')],
      results: { ask: { ask: 'elicitation/create', params: forms, times: 1000 } },
    }),
    onElicitation: async () => {
      asked += 1;
      // The server has sent all by the time at which it gets the first answers: those to the others.
      if (asked === 10) setImmediate(() => waiting.resolve({ action: 'decline' }));
      return waiting.promise;
    },
  });
  const answers = (await call('ask')) as { readonly action: string }[];
  expect(answers).toHaveLength(1000);
  expect(answers.map(({ action }) => action)).toContain('cancel');
  expect(asked).toBeLessThan(1000);
});

it('lets no server ask when no call runs', async () => {
  let asked = 0;
  const { call } = await callerOf({
    ...scriptedServer({
      tools: [scriptedTool('answers')],
      results: { answers: 'answers' },
      early: { id: 'early', method: 'elicitation/create', params: forms },
    }),
    onElicitation: () => {
      asked += 1;
      return { action: 'accept', content: {} };
    },
  });
  expect(await call('answers')).toEqual([{ action: 'cancel' }]);
  expect(asked).toBe(0);
});

const property = (definition: object): object => ({
  message: 'A?',
  requestedSchema: { type: 'object', properties: { a: definition } },
});

it.each([
  ['an address of another kind', { mode: 'url', message: 'A?', url: 'javascript:alert(1)' }],
  ['a file', { mode: 'url', message: 'A?', url: 'file:///etc/passwd' }],
  ['an address with a login', { mode: 'url', message: 'A?', url: 'https://bank.test@evil.test/' }],
  ['what is not an address', { mode: 'url', message: 'A?', url: 'bank' }],
  ['a long address', { mode: 'url', message: 'A?', url: `https://a.test/${'b'.repeat(9000)}` }],
  ['a long message', { ...forms, message: 'x'.repeat(10_001) }],
  ['a message that is long with its escapes', { ...forms, message: '\u0007'.repeat(5000) }],
  ['no schema', { message: 'A?' }],
  ['a value that hides something', property({ type: 'string', enum: ['yes\u200bno'] })],
  [
    'a property that hides something',
    { message: 'A?', requestedSchema: { type: 'object', properties: { 'a\u001b[2J': {} } } },
  ],
  [
    'a property with a special name',
    JSON.parse(
      '{"requestedSchema":{"type":"object","properties":{"__proto__":{"type":"string"}}}}',
    ),
  ],
  ['a deep schema', property({ a: { b: { c: { d: { e: { f: { g: { h: {} } } } } } } } })],
  ['a long schema', property({ type: 'string', description: 'x'.repeat(200_000) })],
  [
    'a schema that takes long to compile',
    property({ anyOf: Array.from({ length: 3000 }, (_, at) => ({ const: String(at) })) }),
  ],
])('shows nobody %s', (_what, params) => {
  expect(readElicitation(params)).toBeUndefined();
});

it('shows all of a message of up to 10,000 characters, and foreign letters of a host as what they are', () => {
  const message = 'x'.repeat(10_000);
  expect(readElicitation({ ...forms, message })?.message).toBe(message);
  const url = readElicitation({ mode: 'url', message: 'A?', url: 'https://b\u0430nk.test/' });
  expect(url).toMatchObject({ url: expect.stringMatching(/^https:\/\/xn--\w+-\w+\.test\/$/) });
});

it('refuses a handler that is none, and one for a client of your own', async () => {
  const url = 'http://127.0.0.1/mcp';
  await expect(mcpTools({ name: 'a', url, onElicitation: 'ask' as never })).rejects.toMatchObject({
    code: 'OPTION_INVALID',
  });
  await expect(
    mcpTools({ name: 'a', client: {} as never, onElicitation: () => {} } as never),
  ).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    message: expect.stringContaining('cannot use onElicitation with client'),
  });
});
