import { expect, it } from 'vitest';

interface Call {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

interface ProgramsModule {
  readonly PROGRAMS: Readonly<Record<string, (this: void, calls: readonly Call[]) => string>>;
}

const { PROGRAMS }: ProgramsModule = await import(
  String(new URL('../../bench/bfcl/programs.mjs', import.meta.url))
);

const calls = [
  { name: 'ls', arguments: {} },
  { name: 'echo', arguments: { content: `it's "1"`, lines: 2, a: true } },
  { name: 'mean', arguments: { numbers: [1, 2.5], more: { b: null } } },
];

it.each([
  [
    'python',
    [
      'import json',
      'print(json.dumps(await bfcl.ls()))',
      String.raw`print(json.dumps(await bfcl.echo(content="it's \"1\"", lines=2, a=True)))`,
      'print(json.dumps(await bfcl.mean(numbers=[1, 2.5], more={"b": None})))',
    ],
  ],
  [
    'typescript',
    [
      'console.log(JSON.stringify(await bfcl.ls()));',
      String.raw`console.log(JSON.stringify(await bfcl.echo({ content: "it's \"1\"", lines: 2, a: true })));`,
      'console.log(JSON.stringify(await bfcl.mean({ numbers: [1,2.5], more: {"b":null} })));',
    ],
  ],
  [
    'bash',
    [
      'bfcl_ls',
      String.raw`bfcl_echo --content 'it'\''s "1"' --lines 2 --a true`,
      `bfcl_mean '{"numbers":[1,2.5],"more":{"b":null}}'`,
    ],
  ],
])('writes the calls of a turn as a program in %s', (language, lines) => {
  expect(PROGRAMS[language]?.(calls)).toBe(lines.join('\n'));
});
