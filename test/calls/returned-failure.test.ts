import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { ToolCallFailure } from '../../src/tools/tool-call-failure.ts';
import { useBench } from '../support/bench.ts';
import { invoke } from './invoke.ts';

const text = (words: string): object => ({ type: 'text', text: words });

const FAILURES: readonly (readonly [string, unknown, string])[] = [
  ['an Error', new TypeError('no such order'), 'no such order'],
  ['an Error of another realm', runInNewContext("new Error('no such order')"), 'no such order'],
  ['a DOMException', new DOMException('no such order', 'NotFoundError'), 'no such order'],
  [
    'a Response that is not ok',
    new Response('{"secret": 1}', { status: 404, statusText: 'Not Found' }),
    'the response has the status 404 Not Found',
  ],
  ['a Response of a failed request', Response.error(), 'the response has the status 0'],
  [
    'a result of MCP with isError',
    { content: [text('no such'), text('order')], isError: true, structuredContent: { a: 1 } },
    'no such\norder',
  ],
  [
    'a result of MCP with isError and no text',
    { content: [{ type: 'image', data: '', mimeType: 'image/png' }], isError: true },
    'it failed without a message',
  ],
  [
    'a result of MCP with isError and no content',
    { content: [], isError: true },
    'it failed without a message',
  ],
];

describe('a tool that returns its failure instead of throwing it', () => {
  it.each(FAILURES)('has failed if it is %s', async (_what, returned, message) => {
    for (const caller of ['code', 'direct'] as const) {
      expect(await invoke({ allowedCallers: [caller], run: () => returned }, { caller })).toEqual({
        ok: false,
        failure: { type: 'Failed', message },
      });
    }
  });

  it('keeps the type of a failure that sources of tools use', async () => {
    const run = (): unknown => new ToolCallFailure('Unavailable', 'the service is down');
    expect(await invoke({ run })).toMatchObject({ failure: { type: 'Unavailable' } });
  });

  it('says only that it failed if it hides its errors', async () => {
    const run = (): unknown => ({ content: [text('S3CRET')], isError: true });
    expect(await invoke({ run, errorDetails: 'none' })).toEqual({
      ok: false,
      failure: { type: 'Failed', message: 'the tool failed' },
      hostMessage: 'S3CRET',
    });
  });

  it('has a message of bounded length', async () => {
    const content = Array.from({ length: 1000 }, () => text('x'.repeat(1000)));
    const outcome = await invoke({ run: () => ({ content, isError: true }) });
    expect(JSON.stringify(outcome).length).toBeLessThan(11_000);
  });
});

describe('a result that only looks like a failure is a result', () => {
  it.each<[string, unknown]>([
    ['isError without content', { isError: true, reason: 'declined' }],
    ['isError with content that is not a list', { isError: true, content: 'declined' }],
    ['isError with a list of other things', { isError: true, content: ['declined', 7] }],
    ['isError with a list of objects without a type', { isError: true, content: [{ id: 1 }] }],
    ['an isError that is not true', { isError: 'true', content: [text('a')] }],
    ['a result of MCP without isError', { content: [text('a')] }],
    ['a result of MCP with isError: false', { content: [text('a')], isError: false }],
    ['an Error or a result of MCP in a list', [{ content: [text('a')], isError: true }]],
    ['an object with the fields of a Response', { ok: false, status: 404 }],
    ['an object with the fields of an Error', { name: 'Error', message: 'a', stack: 'b' }],
  ])('%s', async (_what, returned) => {
    expect(await invoke({ run: () => returned })).toEqual({
      ok: true,
      result: { text: JSON.stringify(returned) },
    });
  });

  it('but a Response that is ok is refused, because its content would be lost', async () => {
    for (const returned of [Response.json([1]), { answer: Response.json([1]) }]) {
      expect(await invoke({ run: () => returned })).toMatchObject({
        failure: {
          type: 'InvalidResult',
          message: expect.stringContaining('is a Response; read what it contains'),
        },
      });
    }
  });

  it('and one that cannot be read fails as before', async () => {
    const returned = {
      isError: true,
      get content(): never {
        throw new Error('no content');
      },
    };
    expect(await invoke({ run: () => returned })).toMatchObject({
      failure: { type: 'InvalidResult', message: 'no content' },
    });
  });
});

describe('in a program, a failure that a tool returned is a ToolError', () => {
  let returned: unknown;
  const toolList = [{ name: 'get_order', description: 'Gets an order.', run: () => returned }];
  const bench = useBench({ toolList, languages: ['python', 'typescript'] });
  const PYTHON = 'try:\n  print(await get_order())\nexcept ToolError as e:\n  print(e)';
  const TYPESCRIPT =
    'try { console.log(await get_order()); } catch (e) { console.log(e instanceof ToolError, e.message); }';

  it.each(FAILURES)('%s', async (_what, failure, message) => {
    returned = failure;
    const expected = `get_order failed (Failed): ${message}`;
    expect((await bench.run(PYTHON)).stdout).toBe(`${expected}\n`);
    const { stdout } = await bench.run(TYPESCRIPT, { language: 'typescript' });
    expect(stdout).toBe(`true ${expected}\n`);
  });
});
