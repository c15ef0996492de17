import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { startTypeScript } from '../support/typescript-process.ts';

test('schema libraries are loaded by the first schema that needs them, not by an import', async () => {
  // In a process of its own: other tests have loaded some here.
  const { stdout } = startTypeScript(new URL('./loaded-libraries.ts', import.meta.url));
  expect(await json(stdout)).toEqual([[], ['ajv']]);
});
