import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { openApiTools } from '../../src/openapi/openapi-tools.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { callerOf, serveEcho } from './support.ts';

const DIRECTORY = dirname(
  createRequire(import.meta.url).resolve('@readme/oas-examples/package.json'),
);

function read(path: string): { readonly paths?: object } {
  return JSON.parse(readFileSync(join(DIRECTORY, path), 'utf8')) as { readonly paths?: object };
}

const FILES = ['2.0', '3.0', '3.1'].flatMap((version) =>
  readdirSync(join(DIRECTORY, version, 'json'))
    .filter((name) => name.endsWith('.json'))
    .map((name) => `${version}/json/${name}`)
    .filter((path) => read(path).paths !== undefined),
);

/** Their only operation has a multipart body with files or objects. */
const ONLY_FILES = /\/(file-uploads|schema-encoding-style)\.json$/;

it.each(FILES)('makes tools of the document %s whose schemas can be compiled', (path) => {
  const source = openApiTools({ name: 'a', document: read(path), baseUrl: 'http://localhost' });
  const tools = [...source.tools()] as Tool<unknown>[];
  expect(tools.length > 0).toBe(!ONLY_FILES.test(path));
  for (const { name, validateInput, validateResult } of tools) {
    for (const checked of [validateInput({}), validateResult?.({})]) {
      if (checked?.valid === false) expect(`${name}: ${checked.message}`).not.toContain('compiled');
    }
  }
});

it.each(['2.0', '3.0', '3.1'])(
  'calls the operations of the pet store, in version %s',
  async (version) => {
    const { baseUrl } = await serveEcho();
    const call = callerOf({
      document: read(`${version}/json/petstore.json`),
      baseUrl: `${baseUrl}/v2`,
      auth: { api_key: 'key-of-mine', petstore_auth: 'token-of-mine' },
    });
    expect(await call('getPetById', { petId: 7 })).toMatchObject({
      method: 'GET',
      url: '/v2/pet/7',
      headers: { api_key: '(removed)' },
    });
    expect(await call('findPetsByStatus', { status: ['sold', 'pending'] })).toMatchObject({
      url:
        version === '2.0'
          ? '/v2/pet/findByStatus?status=sold&status=pending'
          : expect.stringMatching(/status=sold/),
      headers: { authorization: 'Bearer (removed)' },
    });
    expect(
      await call('addPet', { name: 'Rex', photoUrls: [], tags: [{ name: 'a' }] }),
    ).toMatchObject({
      method: 'POST',
      url: '/v2/pet',
      body: '{"name":"Rex","photoUrls":[],"tags":[{"name":"a"}]}',
    });
    expect(await call('addPet', { name: 'Rex' })).toMatchObject({ type: 'InvalidArguments' });
  },
);
