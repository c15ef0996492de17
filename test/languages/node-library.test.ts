import { runInThisContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { Compiler } from '../../src/languages/type-check/compiler/compiler.ts';
import { libraryOf, nodeLine } from '../../src/languages/type-check/shared/node-library.ts';

// One compiler for all, as sessions with different sandboxes share it.
const compiler = new Compiler();

function problems(code: string, node: number | undefined): string[] {
  const session = { session: 1, modules: [], hasUnknownNames: false };
  const { problems: found } = compiler.check({ code, typed: true, node, tools: '', ...session });
  return found.map(({ message }) => message);
}

/** What models use, and the release line of Node that has it first. */
const NEWER: readonly (readonly [program: string, node: number])[] = [
  ['Object.groupBy([1, 2], (n) => (n % 2 ? "odd" : "even"))', 21],
  ['Map.groupBy([1, 2], (n) => n % 2)', 21],
  ['Promise.withResolvers()', 22],
  ['Array.fromAsync([1])', 22],
  ['new Set([1]).union(new Set([2]))', 22],
  ['new Set([1]).isSubsetOf(new Set([2]))', 22],
  ['new Map([[1, 2]]).values().map((n) => n + 1).toArray()', 22],
  ['Iterator.from([1])', 22],
  ['Promise.try(() => 1)', 23],
  ['new Intl.DurationFormat("en").format({ hours: 1 })', 23],
  ['new Intl.Locale("en").getWeekInfo()', 24],
  ['RegExp.escape("a.b")', 24],
  ['new Float16Array(2)', 24],
  ['Error.isError(1)', 24],
  ['Uint8Array.fromBase64("AA==")', 25],
  ['new Map([[1, 2]]).getOrInsert(1, 2)', 26],
  ['Temporal.Now.instant()', 26],
  ['new Date().toTemporalInstant()', 26],
];

function runs(program: string): boolean {
  try {
    runInThisContext(program);
    return true;
  } catch {
    return false;
  }
}

describe('a program that uses what its Node does not have', () => {
  it.each(NEWER)('is refused before the release that has it: %s', (program, node) => {
    expect(problems(program, node - 1)).toHaveLength(1);
    expect(problems(program, node)).toEqual([]);
    expect(problems(program, undefined)).toEqual([]);
  });

  it('is told which Node that is', () => {
    expect(problems('Object.groupBy([1], String)', 20)).toEqual([
      "Property 'groupBy' does not exist on type 'ObjectConstructor'. Node 20 does not have it.",
    ]);
  });

  it('is refused exactly if it fails in this Node', () => {
    const line = nodeLine(process.versions.node);
    const programs = NEWER.map(([program]) => program);
    expect(programs.filter((program) => problems(program, line).length > 0)).toEqual(
      programs.filter((program) => !runs(program)),
    );
  });
});

describe('a program that fits its Node', () => {
  it.each([
    'if (Object.groupBy) Object.groupBy([1], String)',
    'Object.groupBy?.([1], String)',
    '"groupBy" in Object ? Object.groupBy([1], String) : 0',
    'typeof Promise.try === "function" && Promise.try(() => 1)',
    'Promise.withResolvers ??= (() => 1) as any; Promise.withResolvers()',
    'typeof Temporal === "undefined" ? 0 : Temporal.Now.instant()',
    'if (Intl.DurationFormat) new Intl.DurationFormat("en")',
    '(Object as any).groupBy([1], String)',
    'new ArrayBuffer(8, { maxByteLength: 16 }).resize(9)',
    '"a".isWellFormed(); [3, 1].toSorted(); structuredClone([1])',
    'class Job implements Disposable { [Symbol.dispose]() {} }',
  ])('is not refused in Node 20: %s', (program) => {
    expect(problems(program, 20)).toEqual([]);
  });
});

describe('the library of a release line', () => {
  it('is the whole one if the compiler divides it in another way', () => {
    expect(libraryOf(20, (name) => name !== 'lib.es2025.collection.d.ts')).toEqual([
      'lib.esnext.d.ts',
    ]);
  });

  it.each([
    ['20.19.2', 20],
    ['26.3.0', 26],
    ['', undefined],
    ['latest', undefined],
    [undefined, undefined],
  ])('is found by the version %s', (version, line) => {
    expect(nodeLine(version)).toBe(line);
  });
});
