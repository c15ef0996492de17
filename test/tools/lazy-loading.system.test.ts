import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { startTypeScript } from '../support/typescript-process.ts';

test('schema libraries are loaded by the first schema that needs them, not by an import, and zod not a second time', async () => {
  // In a process of its own: other tests have loaded some here.
  const file = new URL('./loaded-libraries.ts', import.meta.url);
  const { stdout } = startTypeScript({ file, separateModules: true });
  expect(await json(stdout)).toEqual([[], ['ajv'], ['ajv']]);
});
