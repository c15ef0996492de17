import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

it('docs/errors.md has a row for each code that a PtcError can have, and for no other', async () => {
  const source = await readFile('src/shared/errors.ts', 'utf8');
  const [, union = ''] =
    /export type PtcErrorCode =([^;]+);/.exec(source.replace(/\/\*\*[^]*?\*\//g, '')) ?? [];
  const codes = [...union.matchAll(/'([A-Z_]+)'/g)].map(([, code]) => code);
  const page = await readFile('docs/errors.md', 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code]) => code);
  expect(codes).toContain('TOOL_INVALID');
  expect(rows).toHaveLength(codes.length);
  expect(new Set(rows)).toEqual(new Set(codes));
});
