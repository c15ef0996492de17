import vm from 'node:vm';
import { describe, expect, it } from 'vitest';
import { compileProgram, Repl, type Outcome } from '../repl.ts';

/** Runs programs one after another and gives what came of the last. */
async function last(...programs: readonly string[]): Promise<Outcome> {
  const repl = new Repl();
  let outcome: Outcome | undefined;
  for (const program of programs) {
    outcome = await repl.run(program);
  }
  return outcome as Outcome;
}

describe('the value of a program', () => {
  it.each([
    ['an expression', '1 + 1', 2],
    ['an expression with a semicolon', '1 + 1;', 2],
    ['an expression with empty statements after it', '1 + 1;\n;\n', 2],
    ['an expression with a comment after it', '1 + 1 // two', 2],
    ['the last expression', '1\n2\n3', 3],
    ['an awaited expression', 'await Promise.resolve(7)', 7],
    ['a promise, awaited', 'Promise.resolve(7)', 7],
    ['a sequence', '1, 2', 2],
    ['a text', '"text"', 'text'],
    ['an arrow function called', '(() => 5)()', 5],
    ['a template', '`a${1}`', 'a1'],
    ['a regular expression', '/a/.test("a")', true],
    ['a return', 'return 5', 5],
    ['a return ahead of the last expression', 'if (true) { return 5 }\n6', 5],
    ['a return in a loop', 'for (const n of [1, 2]) if (n === 2) return n', 2],
    ['a return in a switch', 'switch (1) { case 1: return 8 }', 8],
    ['a return in a try', 'try { return 1 } finally { }', 1],
    ['nothing for a declaration', 'const a = 1', undefined],
    ['nothing for a function', 'function f() { return 1 }', undefined],
    ['nothing for an assignment', 'let a\na = 4', undefined],
    ['nothing for an assignment to a property', 'const o = {}\no.a ??= 4', undefined],
    ['nothing for an assignment by a pattern', 'let a\n;({ a } = { a: 4 })', undefined],
    ['nothing for an increment', 'let a = 1\na++', undefined],
    ['nothing for a deletion', 'const o = { a: 1 }\ndelete o.a', undefined],
    ['nothing for assignments in a sequence', 'let a, b\na = 1, b = 2', undefined],
    ['nothing for a conditional assignment', 'let a\ntrue && (a = 1)', undefined],
    ['nothing for one of two assignments', 'let a\na ? (a = 1) : (a = 2)', undefined],
    ['nothing if it would have been printed', 'false && console.log(1)', undefined],
    ['nothing for a default export', 'export default 6', undefined],
    ['nothing for a default export in parentheses', 'export default (1 + 2)', undefined],
    ['nothing for a default export of a sequence', 'export default (1, 2) // and', undefined],
    ['nothing for a default export and its end', 'export default { a: 1 }.a;', undefined],
    ['nothing for a directive', '"use strict"', undefined],
    [
      'nothing for a directive above definitions',
      '"use strict"\nfunction f() {}; class A {}',
      undefined,
    ],
    ['the value of an expression below a directive', '"use strict"\n2\nfunction f() {}', 2],
    ['what is above a default function', '2\nexport default function f() {}', 2],
    ['nothing for a timer', '1; setTimeout(() => {}, 0)', undefined],
    ['nothing for a timer above definitions', 'setTimeout(f, 0); function f() {}', undefined],
    ['a timer that has a name', 'const t = setTimeout(() => {}, 0); typeof t', 'object'],
    ['nothing for a block', '{ 1; }', undefined],
    ['nothing for a loop', 'for (;;) { break }', undefined],
    ['nothing for no program', '', undefined],
    ['nothing for a comment', '// nothing', undefined],
    ['nothing for a hashbang', '#!/usr/bin/env node', undefined],
    ['what follows a hashbang', '#!/usr/bin/env node\n1', 1],
    ['a multi-line call', '[1, 2]\n  .map((n) => n * 2)\n  .join()', '2,4'],
  ])('is %s', async (_, program, value) => {
    expect(await last(program)).toEqual({ output: '', value, error: null, at: null });
  });

  it.each([
    ['{ a: 1 }', { a: 1 }],
    ['{}', {}],
    ['\n// note\n{ a: 1, b: 2 } // end', { a: 1, b: 2 }],
    ['/* note */ { "a-b": 1 }', { 'a-b': 1 }],
    ['{ ...{ a: 1 } }', { a: 1 }],
    ['{ a: 1 }.a', 1],
    ['{ a: await 1 }', { a: 1 }],
  ])('is the object for %j', async (program, value) => {
    const outcome = await last(program);
    expect(outcome.error).toBeNull();
    expect(structuredClone(outcome.value)).toEqual(value);
  });

  it('is an object of names that an earlier program declared', async () => {
    expect((await last('let a = 1, b = 2', '{ a, b }')).value).toEqual({ a: 1, b: 2 });
  });

  it.each(['{ a: 1 };', '{ let a = 1; console.log(a) }', '{ a: for (;;) break a }'])(
    'is none for the block %j',
    async (program) => {
      expect(await last(program)).toMatchObject({ value: undefined, error: null });
    },
  );
});

it('is found at once for a program that begins with many comments', async () => {
  const comments = '// see a://b // c://d  \n/* one */ /* two */\n'.repeat(200);
  expect((await last(`${comments}1`)).value).toBe(1);
  expect(structuredClone((await last(`${comments}{ a: 1 }`)).value)).toEqual({ a: 1 });
});

describe('what a program declares', () => {
  it.each([
    ['let', 'let a = 1', 'a', 1],
    ['let without a value', 'let a', 'typeof a', 'undefined'],
    ['let without a value again', 'let a = 1\nlet b; { let a = 2 }', '[a, b].length', 2],
    ['const', 'const a = 1, b = a + 1', 'a + b', 3],
    ['var', 'var a = 1, b', '[a, b].join()', '1,'],
    ['var after its value', 'a = 5; var a', 'a', 5],
    ['var in blocks', 'if (true) { var a = 1 } else var b = 2', '[a, b].join()', '1,'],
    ['var as a body', 'if (true) var { a } = { a: 1 }; else var b', '[a, b].join()', '1,'],
    ['var in a do loop', 'do var a = 1\nwhile (false)', 'a', 1],
    ['var in a loop', 'for (var i = 0, n = 3; i < n; i++);', 'i', 3],
    ['var in a loop, no value', 'for (var i; !i; i = 1);', 'i', 1],
    ['var in a loop of items', 'for (var { x } of [{ x: 1 }, { x: 2 }]);', 'x', 2],
    ['var in a loop of keys', 'for (var key in { a: 1 });', 'key', 'a'],
    ['var in a loop, named async', 'for (var async of [1, 2]);', 'async', 2],
    ['var in a try', 'try { throw 1 } catch (e) { var a = e } finally { var b = 2 }', 'a + b', 3],
    ['var in a switch', 'switch (1) { case 1: var a = 1\ndefault: var [b] = [2] }', 'a + b', 3],
    ['var under a label', 'x: var a = 1', 'a', 1],
    [
      'an object pattern',
      'const { a, b: [c, d = 4], ...e } = { a: 1, b: [3], f: 6 }',
      'a+c+d+e.f',
      14,
    ],
    ['an array pattern', 'let [a, , b = 2, ...c] = [1, 0, undefined, 3]', 'a + b + c[0]', 6],
    ['several patterns', 'const { a } = { a: 1 }, [b] = [2], c = 3', 'a + b + c', 6],
    ['a function', 'function f() { return 1 }', 'f()', 1],
    ['an async function', 'async function f() { return 1 }', 'f()', 1],
    ['a generator', 'function* f() { yield 1 }', '[...f()][0]', 1],
    [
      'a class',
      'class A { static a = 1; #b = 2; get b() { return this.#b } }',
      'A.a + new A().b',
      3,
    ],
    ['a derived class', 'class A {}\nclass B extends A {}', 'new B() instanceof A', true],
    [
      'a name of the rewriting',
      'let constant = 1, constant$ = 2; const c = 3',
      'constant + constant$',
      3,
    ],
    [
      'exports',
      'export const a = 1; export let b = 2; export function c() { return 3 }',
      'a+b+c()',
      6,
    ],
    ['an exported class', 'export class A { static a = 1 }', 'A.a', 1],
    ['a default function', 'export default function f() { return 1 }', 'f()', 1],
    ['a default class', 'export default class A { static a = 1 }', 'A.a', 1],
    ['escapes in names', 'let \\u0061 = 1', 'a', 1],
    ['names of another script', 'let größe = 1; const 数 = 2', 'größe + 数', 3],
  ])('outlives it: %s', async (_, program, expression, value) => {
    expect(await last(program, expression)).toMatchObject({ error: null, value });
  });

  it('replaces what an earlier program declared, in its functions too', async () => {
    const outcome = await last(
      'const rate = 1; class Tax { of(n) { return n * rate } }; function total(n) { return new Tax().of(n) }',
      'const rate = 2',
      'total(10)',
    );
    expect(outcome.value).toBe(20);
  });

  it('keeps an old value of a variable that is declared again without one', async () => {
    expect((await last('var a = 1', 'var a; a')).value).toBe(1);
  });

  it('makes functions callable ahead of their text', async () => {
    expect((await last('const a = f(); function f() { return 1 }\na')).value).toBe(1);
  });

  it('gives functions and classes their names', async () => {
    const outcome = await last(
      'const f = () => {}, C = class {}; let { g = () => {} } = {}; [f.name, C.name, g.name].join()',
    );
    expect(outcome.value).toBe('f,C,g');
  });

  it('refuses to change a constant, in the same program and in functions', async () => {
    const error = { name: 'TypeError', message: expect.stringContaining("'a'") };
    expect((await last('const a = 1; a = 2')).error).toMatchObject(error);
    expect((await last('const { a } = { a: 1 }; function f() { a = 2 }; f()')).error).toMatchObject(
      error,
    );
    expect((await last('import * as a from "node:path"', 'a = 2')).error).toMatchObject(error);
  });

  it('leaves names inside blocks and functions alone', async () => {
    const program =
      '{ let a = 1; const b = 2 } for (const c of [1]) { let d } function f() { var e = 1 }';
    expect(compileProgram(program, { typescript: false }).names).toEqual([]);
  });

  it.each([
    ['let a = 1\nlet a = 2', "Identifier 'a' has already been declared", 2, 5],
    ['const a = 1; class a {}', "Identifier 'a' has already been declared", 1, 20],
    ['let [undefined] = [1]', "Identifier 'undefined' has already been declared", 1, 5],
    ['var NaN = 1', "Identifier 'NaN' has already been declared", 1, 5],
    ['\nfunction globalThis() {}', "Identifier 'globalThis' has already been declared", 2, 10],
    ['import Infinity from "x"', "Identifier 'Infinity' has already been declared", 1, 8],
    ['let a = ;', "Unexpected token ';'", 1, 9],
    ['foo(\n', 'Unexpected end of input', 2, 1],
    ['a b', "Unexpected token 'b'", 1, 3],
  ])('is a syntax error with a place: %j', async (program, message, line, column) => {
    const outcome = await last(program);
    expect(outcome).toMatchObject({
      error: { name: 'SyntaxError', message },
      at: { line, column },
    });
  });
});

describe('what a program imports', () => {
  it.each([
    ['a name', 'import { join } from "node:path"', 'join("a", "b")', 'a/b'],
    ['another name', 'import { join as put } from "node:path"', 'put("a", "b")', 'a/b'],
    ['the default', 'import path from "node:path"', 'path.sep', '/'],
    ['the default by name', 'import { default as path } from "node:path"', 'path.sep', '/'],
    ['the whole', 'import * as path from "node:path"', 'path.sep', '/'],
    ['the default and names', 'import path, { sep } from "node:path"', 'path.sep + sep', '//'],
    ['the default and the whole', 'import a, * as b from "node:path"', 'a.sep + b.sep', '//'],
    ['effects only', 'import "node:path"', '1', 1],
    ['no names', 'import {} from "node:path"', '1', 1],
    ['data', 'import data from "data:application/json,[1]" with { type: "json" }', 'data[0]', 1],
    ['a name that is a string', 'import { "sep" as a } from "node:path"', 'a', '/'],
    [
      'several lines',
      'import {\n  join, // joins\n  sep,\n} from "node:path"',
      'join("a", sep)',
      'a/',
    ],
    [
      'lines with no semicolons',
      'import a from "node:path"\nimport b from "node:fs"\n(1)',
      'a.sep',
      '/',
    ],
    ['an export of it', 'export { sep } from "node:path"; export * from "node:fs"', '1', 1],
  ])('outlives it: %s', async (_, program, expression, value) => {
    expect(await last(program, expression)).toMatchObject({ error: null, value });
  });

  it('is a syntax error, as the engine has it, where the module lacks the name', async () => {
    const outcome = await last('let a = 1\nimport { join, nothing } from "node:path"');
    expect(outcome).toMatchObject({
      error: {
        name: 'SyntaxError',
        message: "The requested module 'node:path' does not provide an export named 'nothing'",
      },
      at: { line: 2, column: 1 },
    });
    expect((await last('export { nothing } from "node:path"')).error?.name).toBe('SyntaxError');
  });
});

describe('statements that were rewritten', () => {
  it.each([
    ['let a = 1\nlet b\n;(2)', 'a'],
    ['let a\n;[1].forEach((n) => { a = n })', 'a'],
    ['var log = []\nlog.push(1)\nconst [a] = [2]\nlog.push(a)', 'log.join()'],
    ['let a = [1]\nfunction f() {}\n[0]', 'a.length'],
    ['let a = 1\nclass B {}\n(2)', 'a'],
    ['let a = 1\nclass B {}\n`x`', 'a'],
    ['let a = 4\nclass B {}\n/1/g', 'a'],
    ['let n = 1\nconst { a } = { a: 2 }\n++n', 'n + a'],
    ['let n = 1\nvar a\n++n', 'n'],
    ['let a = 1\nimport "node:path"\n(2)', 'a'],
    ['let a = 1\nexport { a }\n(2)', 'a'],
    ['let a = 1\nexport default a\nfunction f() {}\n(2)', 'a'],
  ])('do not join their neighbours: %j', async (program, expression) => {
    const plain = program.replaceAll(/^import.*|^export (\{.*\}|default)/gm, ';');
    const value: unknown = vm.runInNewContext(`${plain}\n;${expression}`);
    expect(await last(program, expression)).toMatchObject({ error: null, value });
  });
});

describe('the rest of the language', () => {
  it('has await, for await and top-level this', async () => {
    const program =
      'let sum = 0\nfor await (const n of [Promise.resolve(1), 2]) sum += n\nthis === globalThis && sum';
    expect((await last(program)).value).toBe(3);
  });

  it('is strict', async () => {
    expect((await last('undeclared = 1')).error?.name).toBe('ReferenceError');
    expect((await last('function f() { return this }; f()')).value).toBeUndefined();
  });
});
