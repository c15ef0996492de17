import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const read = async (name: string): Promise<string> =>
  readFile(new URL(`../../dist/guests/${name}`, import.meta.url), 'utf8');

it.each(['node.cjs', 'deno.mjs', 'python.mjs'])(
  'the script %s imports only modules of Node, and has one byte for each character',
  async (name) => {
    const script = await read(name);
    expect(script).not.toMatch(/\b(?:from|require\()\s*["'](?:[.@]|acorn)/);
    // V8 takes two bytes for each character of a script if one of them needs two.
    expect(Buffer.byteLength(script)).toBe(script.length);
  },
);

it('the licenses of what the scripts contain are beside them', async () => {
  const licenses = await read('LICENSES');
  expect(licenses).toMatch(/^acorn\n\nMIT License\n\nCopyright/m);
  expect(licenses).toMatch(/^@sveltejs\/acorn-typescript\n\nMIT License\n\nCopyright/m);
});
