import { describe, expect, it } from 'vitest';
import { compiles } from '../../../support/compiles.ts';
import { skippedFor } from '../../../support/skipped.ts';
import { Repl } from '../repl.ts';

const HAS_USING = compiles('{ using a = null }');

const error = { name: 'TypeError', message: "Cannot read properties of null (reading 'fail')" };

/** Puts what fails where `@` is, and says where that is. */
function marked(text: string): { program: string; at: { line: number; column: number } } {
  const lines = text.slice(0, text.indexOf('@')).split(/\r\n|[\n\r\u2028\u2029]/);
  return {
    program: text.replace('@', 'null.fail'),
    at: { line: lines.length, column: (lines.at(-1) as string).length + 'null.'.length + 1 },
  };
}

describe('the place of an error', () => {
  it.each([
    '@',
    '  @',
    'let a = 1; @',
    'let a = 1, b = @',
    'const a = 1, b = 2; let { c } = { c: 3 }; @; a',
    'const { a } = @, b = 1',
    'const a = 1\nconst b = a +\n  @',
    'let a\nlet b; let c = @',
    'var a; for (var i = 0, n = @; i < n; i++);',
    'if (true) var a = 1, [b] = @',
    'for (var { a } of @);',
    'class A { static a = @ }',
    'class A {} class B extends @ {}',
    'function f() { @ } f()',
    'let a = 1; function f() { @ } let b = 2; f()',
    'let a = 1; function f() { }; function g() { @ } g()',
    'function f() {\n  const x = 1; { let y; @ } }\nlet a = f()',
    'import { sep } from "node:path"; @',
    'import path, {\n  sep } from "node:path"; let a = 1; @',
    'export const a = 1; export let b = @',
    'export default @',
    'export default 1 +\n @',
    'export function f() { @ } f()',
    '#!/usr/bin/env node\n@',
    '/* one\ntwo */ let a = @',
    'let a = 1;\r\nlet b = @',
    'let a = "\u2028"; let b = 1\u2029let c = @',
    'let 数 = "😀"; const b = 1; @',
    '{ a: @ }',
    'return @',
    '1\n2\n@',
    'await @',
    'const f = async () => { await 1; @ }\nawait f()',
  ])('is that of the text: %j', async (text) => {
    const { program, at } = marked(text);
    expect(await new Repl().run(program)).toMatchObject({ error, at });
    expect(await new Repl({ typescript: true }).run(program)).toMatchObject({ error, at });
  });

  it.each([
    'const a: number = 1; let b: string = @',
    'const a = <number>1, b = @ as number',
    'enum E { A, B = @ }',
    'enum E { A, B, C } let a: E = E.A; @',
    'enum E {\n  A = 1,\n  B = A + @,\n}',
    'namespace N { export const a = 1; export const b = @ }',
    'namespace A.B { export function f() { @ } } A.B.f()',
    'namespace N { export const a = 1 } namespace N { export const b = a + a, c = { a, b: @ } }',
    'class A { constructor(private a: number, public b = 1) { @ } } new A(1)',
    'class A { private a: number = 1; readonly b = @ } new A()',
    'class A<T> { m(x?: T): void { @ } } new A<number>().m()',
    'function f<T>(this: any, x: T): T { return @ } f(1)',
    'const f = <T>(\n  x: T,\n): {\n  a: T\n} => @; f(1)',
    'let a = 1 as number\nlet b = <any>a; (b!); @',
    'interface A {\n  a: number\n} type B = A; @',
    'import type { Stats } from "node:fs"; let a: Stats; @',
    'import { sep, type PlatformPath } from "node:path"; let a: PlatformPath = sep as any; @',
  ])('is that of the text with types: %j', async (text) => {
    const { program, at } = marked(text);
    expect(await new Repl({ typescript: true }).run(program)).toMatchObject({ error, at });
  });

  it.each([
    ['let a: number = 1; let b: = 2', "Unexpected token '='", 1, 27],
    ['interface A {\n  a: number\n', 'Unexpected end of input', 3, 1],
    ['let a: number\nlet a: string', "Identifier 'a' has already been declared", 2, 5],
    ['@sealed class A {}', 'Decorators are not supported', 1, 1],
    ['class A {\n  @log m() {} }', 'Decorators are not supported', 2, 3],
    ['class A {\n  m(@log x) {} }', 'Decorators are not supported', 2, 5],
    ['class A {\n  constructor(@log private x) {} }', 'Decorators are not supported', 2, 15],
    ['let a = (b: number)', "Unexpected token ':'", 1, 11],
    ['const a = b ? (c: number): d => c', "Unexpected token ':'", 1, 17],
    ['const a = b ? (c): d => {\n  1 + ; } : d', "Unexpected token ';'", 2, 7],
    ['const a = <b>c</b>', "Unexpected token '<': JSX is not supported", 1, 15],
    [
      'namespace N {\n  const a = 1; export { a } }',
      'A namespace exports only declarations, such as `export const a = b`',
      2,
      16,
    ],
    ['enum undefined { A }', "Identifier 'undefined' has already been declared", 1, 6],
  ])('is that of a syntax error with types: %j', async (program, message, line, column) => {
    expect(await new Repl({ typescript: true }).run(program)).toMatchObject({
      error: { name: 'SyntaxError', message },
      at: { line, column },
    });
  });

  it.each([
    ['const a = missing + 1', 11],
    ['const first = 1, b = missing', 22],
    ['let a = missing.b(1)', 9],
    ['const { a } = missing', 15],
    ['let one = 1, [b] = missing', 20],
    ['for (var i = missing; ;);', 14],
    ['let a; a = missing', 12],
  ])('is that of a name that is not there: %j', async (program, column) => {
    expect(await new Repl().run(program)).toMatchObject({
      error: { name: 'ReferenceError', message: 'missing is not defined' },
      at: { line: 1, column },
    });
  });

  it('is that of what is not supported', async () => {
    expect(await new Repl({ typescript: true }).run('class A {\n  accessor a = 1 }')).toMatchObject(
      {
        error: { name: 'SyntaxError', message: 'Fields that are accessors are not supported' },
        at: { line: 2, column: 3 },
      },
    );
  });

  it.each([
    ['const a = 1;\nusing b = null', "'using' is not supported here: use try and finally", 2, 1],
    ['{ await using b = null }', "'await using' is not supported here: use try and finally", 1, 3],
  ])(
    'is that of what this release of Node does not support: %j',
    skippedFor(HAS_USING ? 'this release of Node supports `using`' : undefined),
    async (program, message, line, column) => {
      expect(await new Repl({ typescript: true }).run(program)).toMatchObject({
        error: { name: 'SyntaxError', message },
        at: { line, column },
      });
    },
  );
});
