import { once } from 'node:events';
import { expect, it } from 'vitest';
import { documentOf, toolsOf } from './support.ts';

const file = { type: 'object', properties: { f: { type: 'string', format: 'binary' } } };
const upload = { requestBody: { content: { 'multipart/form-data': { schema: file } } } };

it.each([
  ['a:upload', 'the part "f" of its multipart body is a file or an object'],
  ['a_upload', 'the part "f" of its multipart body is a file or an object'],
  ['twice', 'another tool is twice too'],
])('refuses a list with the operation %s, which cannot be a tool', (listed, reason) => {
  const document = documentOf({
    '/good': { get: { operationId: 'good' } },
    '/file': { post: { ...upload, operationId: 'a:upload' } },
    '/twice': { get: { operationId: 'twice' }, post: { operationId: 'twice' } },
  });
  expect(() => toolsOf(document, { operations: ['good', listed] })).toThrow(
    expect.objectContaining({
      code: 'OPTION_INVALID',
      message: `operations: "${listed}" cannot be a tool (${reason}). Leave it out. If programs need it, define a tool of your own.`,
      details: { option: 'operations', operation: listed },
    }),
  );
  expect(toolsOf(document, { operations: ['good'] }).map(({ name }) => name)).toEqual(['good']);
});

it('warns of one operation that is left out without a list', async () => {
  const warned = once(process, 'warning');
  expect(toolsOf(documentOf({ '/file': { post: upload } }))).toEqual([]);
  const [warning] = (await warned) as [Error];
  expect(warning.message).toBe(
    'Programs cannot have 1 operation of the document of api: POST /file (the part "f" of its multipart body is a file or an object)',
  );
});
