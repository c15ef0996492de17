import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('the front page of the API reference says of each entry point what it is for, and of no others', async () => {
  const configPath: string = '../../typedoc.config.mjs';
  const { default: config } = (await import(configPath)) as {
    readonly default: { readonly readme: string; readonly entryPoints: readonly string[] };
  };
  const page = readFileSync(config.readme, 'utf8');
  const named = new Set(Array.from(page.matchAll(/^\| `([^`]+)`/gm), ([, name]) => name));
  const { name, exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, string>>;
  };
  const there = Object.keys(exports).filter((entry) => entry !== './package.json');
  expect(named).toEqual(new Set(there.map((entry) => entry.replace(/^\./, name))));
  expect(config.entryPoints).toHaveLength(there.length);
});
