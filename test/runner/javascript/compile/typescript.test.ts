import { readdirSync, readFileSync } from 'node:fs';
import { format } from 'node:util';
import vm from 'node:vm';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { Repl, type Outcome } from '../repl.ts';

const programsDirectory = new URL('../../../fixtures/typescript-programs/', import.meta.url);

/** What a program prints that the compiler of TypeScript has made JavaScript of. */
async function printedOnceTranspiled(program: string): Promise<string> {
  const { outputText } = ts.transpileModule(program, {
    compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext },
  });
  let printed = '';
  const log = (...values: readonly unknown[]): void => {
    printed += `${format(...values)}\n`;
  };
  const script = outputText.replace(/^export \{\};$/m, '');
  await vm.runInNewContext(`'use strict';(async () => {${script}\n})()`, { console: { log } });
  return printed;
}

describe.each(readdirSync(programsDirectory))('%s', (file) => {
  const parts = readFileSync(new URL(file, programsDirectory), 'utf8').split(/^\/\/\/\/ (.*)\n/m);
  const programs = parts.slice(1).flatMap((title, index, all) => {
    return index % 2 === 0 ? [{ title, program: all[index + 1] as string }] : [];
  });

  it.each(programs)('prints what the compiler has it print: $title', async ({ program }) => {
    const output = await printedOnceTranspiled(program);
    expect(output).not.toBe('');
    expect(await new Repl({ typescript: true }).run(program)).toMatchObject({
      error: null,
      output,
    });
  });
});

describe('imports', () => {
  async function run(...programs: readonly string[]): Promise<Outcome> {
    const repl = new Repl({ typescript: true });
    let outcome: Outcome | undefined;
    for (const program of programs) {
      outcome = await repl.run(program);
    }
    return outcome as Outcome;
  }

  it.each([
    [
      'a name marked as a type',
      'import { sep, type Nothing } from "node:path"; let a: Nothing; sep',
      '/',
    ],
    [
      'a name used as a type',
      'import { sep, Nothing } from "node:path"; let a: Nothing = sep; a',
      '/',
    ],
    ['a name used in types of types', 'import * as N from "nowhere"; type A = N.B<string>; 1', 1],
    ['a name a class implements', 'import { A } from "nowhere"; class B implements A {}; 1', 1],
    ['a module of types', 'import type A from "nowhere"; import type { B } from "nowhere"; 1', 1],
    ['the default of a module of types', 'import type A, { B, type C } from "nowhere"; 1', 1],
    ['an exported type', 'export type { A } from "nowhere"; export type B = 1; 1', 1],
    ['a name of types in an export', 'export { type A, sep } from "node:path"; 1', 1],
    ['a required module of types', 'import a = require("nowhere"); let b: a.B; 1', 1],
  ])('leave out %s', async (_, program, value) => {
    expect(await run(program)).toMatchObject({ error: null, value });
  });

  it.each([
    ['a name that is used', 'import { sep } from "node:path"', 'sep', '/'],
    [
      'a name that only a later program uses',
      'import { sep, nothing } from "node:path"',
      'sep',
      '/',
    ],
    [
      'a name that is a value and a type',
      'import { URL } from "node:url"; let u: URL = new URL("a:b")',
      'u.href',
      'a:b',
    ],
    [
      'an alias that is used in types only',
      'namespace N { export class C { c = 1 } } import D = N.C; let d: D',
      'new D().c',
      1,
    ],
    ['a module that an expression imports', '', '(await import("node:path",)).sep', '/'],
    ['a required module', 'import path = require("node:path")', 'path.sep', '/'],
    [
      'a whole module',
      'import * as path from "node:path"; type P = typeof path; path',
      'path.sep',
      '/',
    ],
  ])('have %s', async (_, program, expression, value) => {
    expect(await run(program, expression)).toMatchObject({ error: null, value });
  });

  it('are refused where the program uses as a value what the module lacks', async () => {
    const { error } = await run('import { nothing } from "node:path"; nothing()');
    expect(error).toEqual({
      name: 'SyntaxError',
      message: "The requested module 'node:path' does not provide an export named 'nothing'",
    });
  });
});

describe('a program after another', () => {
  async function values(...programs: readonly string[]): Promise<unknown[]> {
    const repl = new Repl({ typescript: true });
    const outcomes: Outcome[] = [];
    for (const program of programs) {
      outcomes.push(await repl.run(program));
    }
    expect(outcomes.map(({ error }) => error)).toEqual(programs.map(() => null));
    return outcomes.map(({ value }) => value);
  }

  it('has enums, namespaces and classes of the one before, and may declare them anew', async () => {
    const programs = [
      'enum E { A, B }; namespace N { export const a = 1 }; class C { constructor(public c: number) {} }',
      'E.B + N.a + new C(3).c',
      'enum E { Z = 9 }; namespace N { export const b = 2 }',
      '[E.Z, (E as any).A, N.b, (N as any).a].join()',
    ];
    expect(await values(...programs)).toEqual([undefined, 5, undefined, '9,,2,']);
  });

  it.each([
    'await null; const f = async <T>(x: T): Promise<T> => x; await f(7)',
    'await null; const f = async <T,>(x: T) => x; await f(7)',
    'await null; const f = async <T extends object>(x: T, y: number = 7): Promise<number> => y; await f({})',
    'async function g() { await 1; const f = async <T>(x: T): Promise<T> => x; return f(7); }\nawait g()',
  ])('has generic async arrow functions after an await: %s', async (program) => {
    expect(await values(program)).toEqual([7]);
  });

  it('may export a class that is abstract and has no name', async () => {
    expect(
      await values('export default abstract class { static { n = 1 } }; var n: number', 'n'),
    ).toEqual([undefined, 1]);
  });

  it('gives the value of its last expression, whatever types come after', async () => {
    expect(
      await values('5 as number; type A = 1', 'export = { a: 1 }.a', '{ a: 1 as number }.a'),
    ).toEqual([5, undefined, 1]);
  });
});
