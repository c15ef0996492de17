import { describe, expect, it } from 'vitest';
import type {
  CheckAnswer,
  CheckRequest,
} from '../../src/languages/type-check/shared/check-messages.ts';
import { Compiler } from '../../src/languages/type-check/compiler/compiler.ts';
import { refuseCompiler } from '../../src/languages/type-check/compiler-version.ts';
import { refusalOf } from '../../src/languages/type-check/report.ts';
import { SessionNames } from '../../src/languages/type-check/session-names.ts';
import { CORRECT, TOOLS, WRONG } from './type-check-programs.ts';

const compiler = new Compiler();

function check(code: string, names: SessionNames = new SessionNames(false)): CheckAnswer {
  const { modules, hasUnknownNames } = names;
  const request: CheckRequest = {
    code,
    typed: true,
    tools: TOOLS,
    session: 1,
    modules,
    hasUnknownNames,
  };
  const answer = compiler.check(request);
  if (answer.problems.length === 0) names.add(answer);
  return answer;
}

function problems(code: string, names?: SessionNames): string[] {
  return check(code, names).problems.map(
    ({ line, code: problem, message }) => `${line}: TS${problem}: ${message}`,
  );
}

describe('a program that runs well', () => {
  it.each(CORRECT.map((code) => [code]))('is not refused: %s', (code) => {
    expect(problems(code)).toEqual([]);
  });
});

describe('a program that is wrong', () => {
  it.each(WRONG)('is refused: %s', (code, problem, line) => {
    const [first] = check(code).problems;
    expect(first).toMatchObject({ code: problem, line });
  });
});

describe('a directive of a program', () => {
  it.each([
    '/// <reference lib="dom" preserve="true" />',
    '/// <reference types="node" preserve="true" />',
    '/// <reference path="../lib/lib.dom.d.ts" preserve="true" />',
  ])('declares nothing, in it and in later ones: %s', (directive) => {
    const names = new SessionNames(false);
    expect(problems(`${directive}\nconst kept = 5;`, names)).toEqual([]);
    expect(names.modules.map(({ text }) => text)).toEqual([expect.stringContaining('kept')]);
    const [problem, ...others] = problems('console.log(kept, document.title)', names);
    expect(problem).toContain("Cannot find name 'document'");
    expect(others).toEqual([]);
    expect(problems(`${directive}\ndocument.title`)).toEqual([
      expect.stringContaining("2: TS2584: Cannot find name 'document'"),
    ]);
  });
});

describe('the programs of one session', () => {
  const first = [
    'interface Row { id: string; value: number }',
    'enum Level { Low, High }',
    'class Table<T> { rows: T[] = []; add(row: T) { this.rows.push(row); return this; } }',
    'function total(rows: Row[]) { return rows.reduce((sum, row) => sum + row.value, 0); }',
    "import { readFile } from 'node:fs/promises';",
    "const rows: Row[] = [{ id: 'a', value: 1 }];",
    'const notes = [];',
    'let count = 0;',
    'for (var index = 0; index < 2; index++) {}',
    'const { id: firstId, ...others } = rows[0];',
  ].join('\n');

  it('know the names of earlier ones with their types', () => {
    const names = new SessionNames(false);
    expect(problems(first, names)).toEqual([]);
    const uses = [
      'const table = new Table<Row>().add({ id: firstId, value: index });',
      'const level: Level = Level.High;',
      "notes.push((await readFile('a', 'utf8')).length);",
      'console.log(total(table.rows), others.value, level);',
    ].join('\n');
    expect(problems(uses, names)).toEqual([]);
    expect(problems('total([5]);', names)).toEqual([
      "1: TS2322: Type 'number' is not assignable to type 'Row'.",
    ]);
    expect(problems('firstId.nothing', names)).toHaveLength(1);
    expect(problems('table.add({ id: 5, value: 5 })', names)).toHaveLength(1);
  });

  it('may declare a name again, with another type', () => {
    const names = new SessionNames(false);
    problems(first, names);
    expect(problems('const rows = 5; interface Row { other: boolean }', names)).toEqual([]);
    expect(problems('rows.toFixed(); const row: Row = { other: true };', names)).toEqual([]);
    expect(problems("total([{ id: 'b', value: 2 }])", names)).toEqual([]);
    expect(problems('rows.map((row) => row)', names)).toHaveLength(1);
  });

  it('may give a variable another value, and an object another property', () => {
    const names = new SessionNames(false);
    problems(`${first}\nconst stats = { a: 1 }; stats.b = 2;`, names);
    expect(problems("count = 'text';", names)).toEqual([]);
    expect(problems('count.length; stats.b', names)).toEqual([]);
  });

  it('may give objects and instances of earlier ones another property', () => {
    const names = new SessionNames(false);
    const state = 'const state = { n: 0, rows: [], range: { from: 1 } };';
    expect(problems(state, names)).toEqual([]);
    const point = 'class Point { constructor(x) { this.x = x; } }';
    expect(problems(point, names)).toEqual([]);
    expect(problems('state.nothing', names)).toHaveLength(1);
    expect(problems("state.last = 'a'; state.rows.push(1); state.range.to = 2;", names)).toEqual(
      [],
    );
    expect(problems('console.log(state.last, state.range.to, new Point(1).x)', names)).toEqual([]);
  });

  it('know nothing of a program that was refused', () => {
    const names = new SessionNames(false);
    expect(problems('const made = 5; made.nothing', names)).toHaveLength(1);
    expect(problems('made', names)).toEqual(["1: TS2304: Cannot find name 'made'."]);
  });

  it('take the names of a program that failed as any', () => {
    const names = new SessionNames(false);
    problems(first, names);
    names.loosenLast();
    expect(problems("total('x').y; const t: Table<Level.Low> = rows.z;", names)).toEqual([]);
  });

  it('keep the types of earlier ones if a program fails that declared nothing', () => {
    const names = new SessionNames(false);
    expect(problems('const kept = { a: 1 };', names)).toEqual([]);
    expect(problems("kept.a = 2;\nthrow new Error('no');", names)).toEqual([]);
    names.loosenLast();
    expect(problems('kept.nothing', names)).toHaveLength(1);
  });

  it('may use any name where there were programs that nobody saw', () => {
    const names = new SessionNames(true);
    expect(problems('console.log(whatever.it.is)', names)).toEqual([]);
    expect(problems('await find_orders({ customer: 5 })', names)).toHaveLength(1);
  });

  it('leave what the compiler cannot parse to the guest', () => {
    const names = new SessionNames(false);
    expect(problems('const kept = 5; const = ;', names)).toEqual([]);
    expect(problems('kept.anything', names)).toEqual([]);
  });

  it('take bounded room, however many they are [waiting/declared-names]', () => {
    const names = new SessionNames(false);
    const members = Array.from({ length: 400 }, (_, index) => `property${index}: string`).join(
      '; ',
    );
    for (let index = 0; index < 40; index += 1) {
      check(`interface Big${index} { ${members} }\nconst big${index} = {} as Big${index};`, names);
    }
    const length = names.modules.reduce((sum, { text }) => sum + text.length, 0);
    expect(length).toBeLessThan(300_000);
    expect(problems('big0.anything; big39.property1', names)).toEqual([]);
    expect(problems('big39.anything', names)).toHaveLength(1);
    const many = Array.from({ length: 1500 }, (_, index) => `const name${index} = 1;`).join('');
    check(many, names);
    check(many.replaceAll('name', 'other'), names);
    const count = names.modules.reduce((sum, module) => sum + module.names.length, 0);
    expect(count).toBeLessThanOrEqual(2000);
    expect(problems('name0', names)).toEqual([]);
  });
});

describe('the report of a refused program', () => {
  it('shows at most twenty problems with their lines, and counts the rest', () => {
    const code = Array.from({ length: 25 }, (_, index) => `  unknown_${index}();`).join('\n');
    const refusal = refusalOf(check(code), code);
    const lines = refusal?.report.split('\n') ?? [];
    expect(lines.slice(0, 3)).toEqual([
      'TypeCheckError: the program was not run, because of 25 type errors:',
      "program.ts:1:3 error TS2304: Cannot find name 'unknown_0'.",
      '    unknown_0();',
    ]);
    expect(lines).toHaveLength(1 + 40 + 1);
    expect(lines.at(-1)).toBe('… and 5 more');
  });
});

describe('a name that only browsers have', () => {
  it('is not in the sandbox, whose version of Node may be unknown', () => {
    expect(problems('document.title')).toEqual([
      "1: TS2584: Cannot find name 'document'. The sandbox does not have it.",
    ]);
  });
});

describe('a machine without a compiler that can check', () => {
  it.each([undefined, '5.4.5', '7.0.2'])('is told what to install: %s', (version) => {
    const fitting = expect.stringContaining('npm install typescript@6') as string;
    expect(() => refuseCompiler(version)).toThrow(
      expect.objectContaining({ code: 'TYPE_CHECKER_MISSING', message: fitting }) as Error,
    );
  });

  it.each(['5.5.2', '6.0.3'])('is not one with %s', (version) => {
    expect(() => refuseCompiler(version)).not.toThrow();
  });
});
