import { expect, it } from 'vitest';
import { callerOf, scriptedServer, scriptedTool } from './support.ts';

const text = (value: string): object => ({ content: [{ type: 'text', text: value }] });
const typed = {
  outputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
};

it('gives a program what it can use of a result', async () => {
  const results = {
    object: text('{"a": [1]}'),
    list: text(' [1, 2]'),
    number: text('7'),
    broken: text('{"a": '),
    nothing: { content: [] },
    untyped: { content: [], structuredContent: { n: 1 } },
    typed: { ...text('ignored'), structuredContent: { n: 1 } },
    parts: {
      content: [
        { type: 'text', text: 'two', annotations: { priority: 1 } },
        { type: 'image', mimeType: 'image/png', data: 'iVBO' },
        { type: 'resource', resource: { uri: 'a:b', mimeType: 'text/plain', text: 'body' } },
        { type: 'resource', resource: { uri: 'a:c', blob: 'AAAA' } },
        { type: 'resource_link', uri: 'a:d', name: 'd' },
      ],
    },
    image: { content: [{ type: 'image', mimeType: 'image/png', data: 'iVBO' }] },
  };
  const tools = Object.keys(results).map((name) =>
    scriptedTool(name, name === 'typed' ? typed : {}),
  );
  const { call } = await callerOf(scriptedServer({ tools, results }));
  expect(await call('object')).toEqual({ a: [1] });
  expect(await call('list')).toEqual([1, 2]);
  expect(await call('number')).toBe('7');
  expect(await call('broken')).toBe('{"a": ');
  expect(await call('nothing')).toBeNull();
  expect(await call('untyped')).toEqual({ n: 1 });
  expect(await call('typed')).toEqual({ n: 1 });
  expect(await call('parts')).toEqual([
    { type: 'text', text: 'two' },
    { type: 'image', mimeType: 'image/png', data: 'iVBO' },
    { type: 'resource', uri: 'a:b', mimeType: 'text/plain', text: 'body' },
    { type: 'resource', uri: 'a:c', data: 'AAAA' },
    { type: 'resource_link', uri: 'a:d', name: 'd' },
  ]);
  expect(await call('image')).toEqual([{ type: 'image', mimeType: 'image/png', data: 'iVBO' }]);
});

it('fails a call whose result is an error, or does not match the output schema', async () => {
  const results = {
    error: { ...text('no such\u001b[31m issue'), isError: true },
    refused: { error: { code: -32602, message: 'bad cursor' } },
    wrong: { content: [], structuredContent: { n: 'one' } },
    missing: text('{"n": 1}'),
    large: { repeat: 9 * 2 ** 20 },
  };
  const tools = Object.keys(results).map((name) =>
    scriptedTool(name, name === 'wrong' || name === 'missing' ? typed : {}),
  );
  const { call } = await callerOf(scriptedServer({ tools, results }));
  expect(await call('error')).toEqual({ type: 'Failed', message: 'no such\\x1b[31m issue' });
  expect(await call('refused')).toMatchObject({
    type: 'Failed',
    message: expect.stringContaining('bad cursor'),
  });
  expect(await call('wrong')).toMatchObject({
    type: 'InvalidResult',
    message: expect.stringMatching(/fault of the server.*result\.n: expected integer/),
  });
  expect(await call('missing')).toMatchObject({
    type: 'InvalidResult',
    message: expect.stringContaining('returned no structured content'),
  });
  expect(await call('large')).toMatchObject({
    type: 'InvalidResult',
    message: expect.stringMatching(
      /^the result has \d+ characters, and at most 8388608 are allowed/,
    ),
  });
});

it.each<[string, object]>([
  ['content that is not a list', { content: 'text' }],
  ['a part of an unknown type', { content: [{ type: 'hologram', data: 'AAAA' }] }],
  ['a part without what its type needs', { content: [{ type: 'image', data: 'AAAA' }] }],
])('fails a call whose result has %s', async (_what, result) => {
  const script = { tools: [scriptedTool('t')], results: { t: result } };
  const { call } = await callerOf(scriptedServer(script));
  expect(await call('t')).toMatchObject({
    type: 'Failed',
    message: expect.stringMatching(/^Invalid result for tools\/call: .*content/s),
  });
});

it('gives a program the digits of a number in JSON text that JavaScript would change', async () => {
  const json =
    '{"id": 1234567890123456789, "list": [7, 1.5, -9007199254740993], "text": "1234567890123456789"}';
  const tools = [scriptedTool('t')];
  const { call } = await callerOf(scriptedServer({ tools, results: { t: text(json) } }));
  expect(await call('t')).toEqual({
    id: '1234567890123456789',
    list: [7, 1.5, '-9007199254740993'],
    text: '1234567890123456789',
  });
});
