import { expect, it } from 'vitest';
import { callerOf, documentOf, serveEcho, toolsOf } from './support.ts';

it('does not require what only answers or only requests have, whichever part of a schema requires it', async () => {
  const { baseUrl } = await serveEcho();
  const properties = {
    id: { readOnly: true },
    name: { type: 'string' },
    password: { writeOnly: true },
  };
  const Base = { type: 'object', properties, required: ['id', 'name', 'password'] };
  const base = { $ref: '#/components/schemas/Base' };
  const required = ['id', 'name', 'password'];
  const schemas = [
    { allOf: [base, { type: 'object', required }] },
    { type: 'object', required, allOf: [{ type: 'object', properties }] },
    { allOf: [{ allOf: [{ required }] }, { allOf: [{ allOf: [base] }] }] },
    { allOf: [base], oneOf: [{ required }, { required: [...required, 'other'] }] },
    { allOf: [{ ...base, required }] },
  ];
  for (const schema of schemas) {
    const content = { 'application/json': { schema } };
    const post = {
      operationId: 'create',
      requestBody: { content },
      responses: { 200: { content } },
    };
    const document = documentOf({ '/a': { post } }, { components: { schemas: { Base } } });
    const call = callerOf({ baseUrl, document });
    const body = { name: 'n', password: 'p' };
    expect(await call('create', { body })).toMatchObject({ body: JSON.stringify(body) });
    expect(await call('create', { body: { name: 'n' } })).toMatchObject({
      type: 'InvalidArguments',
    });
    const [tool] = toolsOf(document);
    expect(tool?.validateResult?.({ id: 1, name: 'n' }).valid).toBe(true);
    expect(tool?.validateResult?.({ name: 'n' }).valid).toBe(false);
  }
});
