import { expect, it } from 'vitest';
import { callerOf, documentOf, serveEcho, toolsOf } from './support.ts';

/** A document with an operation `send` that has a body. */
function sending(type: string, media: object, more: object = {}): object {
  const requestBody = { content: { [type]: media }, ...more };
  return documentOf({ '/a': { post: { operationId: 'send', requestBody } } });
}

it('sends the text of a body whose format only a program can write', async () => {
  const { baseUrl } = await serveEcho();
  const row = { type: 'object', properties: { a: { type: 'string' } } };
  const rows = { type: 'array', items: row };
  for (const [type, schema, body] of [
    ['application/xml', row, '<row a="x"/>'],
    ['text/csv', rows, 'a,b\n1,2'],
    ['application/x-ndjson', rows, '{"a":"x"}\n'],
    ['text/xml', {}, '<a/>'],
  ] as const) {
    const document = sending(type, { schema }, { required: true, description: 'The rows.' });
    const [tool] = toolsOf(document);
    expect(tool?.inputSchema).toEqual({
      type: 'object',
      properties: {
        body: { type: 'string', description: `The text of the body, as ${type}. The rows.` },
      },
      required: ['body'],
      additionalProperties: false,
    });
    const call = callerOf({ baseUrl, document });
    expect(await call('send', { body })).toMatchObject({ body, headers: { 'content-type': type } });
    expect(await call('send', { body: [{ a: 'x' }] })).toMatchObject({ type: 'InvalidArguments' });
  }
  const limited = sending('text/csv', { schema: { type: 'string', maxLength: 3 } });
  expect(await callerOf({ baseUrl, document: limited })('send', { body: 'a,b,c' })).toMatchObject({
    type: 'InvalidArguments',
  });
});
