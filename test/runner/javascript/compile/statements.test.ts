import { format } from 'node:util';
import vm from 'node:vm';
import * as fc from 'fast-check';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { Repl } from '../repl.ts';

const BEGINNING = 'let n = 0; const log = (...values) => { n++; console.log(n, ...values) };';
const END = '\n;log(n)';

/** Statements that declare what no other does, and some that begin as if they went on with the line before. */
const javascript = [
  (id: number) => `let a${id}`,
  (id: number) => `let a${id} = ${id}`,
  (id: number) => `const b${id} = () => log(${id})`,
  (id: number) => `var c${id}, d${id} = n`,
  (id: number) => `const { e${id}, f${id} = 5, ...g${id} } = { e${id}: n, h: 1 }`,
  (id: number) => `let [i${id}, [j${id}]] = [n, [${id}]], k${id} = n`,
  (id: number) => `class L${id} { static at = n; m() { return n } }`,
  (id: number) => `function p${id}() { var inner = n; return inner }`,
  (id: number) => `async function q${id}() {}`,
  (id: number) => `if (n % 2) var r${id} = log(${id}); else var [s${id}] = [log(-${id})]`,
  (id: number) => `for (var t${id} = 0, u${id} = 2; t${id} < u${id}; t${id}++) log(t${id})`,
  (id: number) => `for (var v${id} of [1, 2]) log(v${id})`,
  (id: number) => `for (const w of [1]) { let x = w; var y${id} = x }`,
  (id: number) => `{ let z = ${id}; var z${id} = z }`,
  (id: number) => `do var aa${id} = n\nwhile (n < 0)`,
  (id: number) => `switch (${id}) { case ${id}: var bb${id} = n\ndefault: log("default") }`,
  (id: number) => `try { null.x } catch (error) { var cc${id} = error } finally { log(n) }`,
  (id: number) => `label${id}: for (;;) { break label${id} }`,
  () => '(log)("called")',
  () => '[1, 2].forEach((each) => log(each))',
  () => '`template`.length',
  () => '/n/g.test("n")',
  () => '++n',
  () => '-n',
  () => '+n',
  () => 'n++',
  () => 'await n',
  () => 'log(n) // comment',
  () => '"text"',
  () => '',
];

const typescript = [
  ...javascript,
  (id: number) => `let ta${id}: number`,
  (id: number) => `const tb${id}: { a: number } = { a: n }`,
  (id: number) => `let tc${id} = n as unknown`,
  (id: number) => `let td${id} = n!, te${id}: string = 'x' satisfies string`,
  (id: number) => `type T${id} =\n  | number\n  | string`,
  (id: number) => `interface I${id} { a: number }`,
  (id: number) => `declare const tf${id}: number`,
  (id: number) => `enum E${id} { A, B = 5, C }`,
  (id: number) => `namespace N${id} { export const a = n; log(a) }`,
  (id: number) => `abstract class TA${id}<T> { abstract m(): T; private x?: number\n*y() {} }`,
  (id: number) =>
    `class TB${id} { constructor(public a: number, private b = 2) { log(a) } }; new TB${id}(n)`,
  (id: number) => `function tp${id}<T>(this: void, a?: T): T | undefined { return a as T }`,
  (id: number) => `const tg${id} = <T>(x: T): {\n  x: T\n} => ({ x }); log(tg${id}(1).x)`,
  () => '(log as (x: number) => void)(n)',
  () => '<number>n',
  () => 'n as number',
];

type Statements = ReadonlyArray<(id: number) => string>;

/** Programs of some of the statements, each ended in one way or another. */
function programs(statements: Statements): fc.Arbitrary<string> {
  const part = fc.tuple(fc.constantFrom(...statements), fc.constantFrom('\n', ';', ';\n', ' ;\n'));
  return fc
    .array(part, { minLength: 1, maxLength: 8 })
    .map((parts) => parts.map(([statement, end], id) => statement(id) + end).join(''));
}

/** What the text prints as it is, and the name of what it throws. */
async function plainly(text: string): Promise<{ output: string; error: string | null }> {
  let output = '';
  const log = (...values: readonly unknown[]): void => {
    output += `${format(...values)}\n`;
  };
  try {
    await vm.runInNewContext(`'use strict';(async () => {${text}\n})()`, { console: { log } });
    return { output, error: null };
  } catch (error) {
    return { output, error: (error as Error).name };
  }
}

async function compiled(text: string, options: { readonly typescript: boolean }): Promise<unknown> {
  const { output, error } = await new Repl(options).run(text);
  // `++f()` is an error from the start, which the engine finds only when it comes to it.
  fc.pre(error?.message !== 'Assigning to rvalue');
  return { output, error: error?.name ?? null };
}

describe('any mix of statements', () => {
  it('prints what it prints without being rewritten', async () => {
    const property = fc.asyncProperty(programs(javascript), async (program) => {
      const text = BEGINNING + program + END;
      expect(await compiled(text, { typescript: false })).toEqual(await plainly(text));
    });
    await fc.assert(property, { numRuns: 150 });
  });

  it('prints what the compiler of TypeScript has it print', async () => {
    const property = fc.asyncProperty(programs(typescript), async (program) => {
      const text = BEGINNING + program + END;
      const { outputText, diagnostics } = ts.transpileModule(text, {
        compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext },
        reportDiagnostics: true,
      });
      fc.pre(diagnostics?.length === 0);
      const script = outputText.replace(/^export \{\};$/m, '');
      expect(await compiled(text, { typescript: true })).toEqual(await plainly(script));
    });
    await fc.assert(property, { numRuns: 100 });
  });
});
