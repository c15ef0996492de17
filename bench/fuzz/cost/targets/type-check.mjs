// The type checker. It may take long, in another thread. Only the time of the host's own thread
// counts, and no program may end the process.

import { TypeChecker } from '../../../../dist/languages/type-check/type-checker.js';
import { text } from '../shapes.mjs';
import { anyTexts } from '../texts.mjs';

const DOUBLE = 'type Double<S extends string> = `${S}${S}`;\n';
const LONG = `${DOUBLE}type Long = ${'Double<'.repeat(26)}'ab'${'>'.repeat(26)};\n`;

const counted = (pump, before = '', after = '') => ({
  ...text(pump, before, after),
  counted: true,
});
const nested = (open, inner, close, before = '') => ({
  join: [text(open, before), { value: inner }, text(close)],
});

const SHAPES = [
  counted('const x#: Uppercase<`#${Long}`> = 1;\n', LONG),
  counted('type T# = `#${Long}`; const x#: T# = 1;\n', LONG),
  counted('const a#: string = #;\n'),
  counted('const a#: { v: number, w: string } = { v: "#" };\n'),
  counted('k#: { v: # },', 'const a = {', '}; const b: string = a;'),
  counted("'k#' |", 'type U = ', "'z'; type V = `${U}${U}${U}`; const v: V = 1;"),
  counted('{ k#: # } |', 'type U = ', '{ z: 1 }; const u: U = { a: 1 }; const w: U = u;'),
  counted('{ k#: # } &', 'type U = ', '{ z: 1 }; const u: U = { a: 1 };'),
  counted('declare function f(a: #): #;\n', '', 'f("a");'),
  counted('let v# = v + #;\n', 'var v = 1;\n'),
  counted('interface I# extends I { a#: I[] }\n', 'interface I { b: I }\n'),
  nested('(', '1', ')', 'const a: string = '),
  nested('[', '1', ']', 'const a: string = '),
  nested('{a:', '1', '}', 'const a: string = '),
  nested('f(', '1', ')', 'function f<T>(x: T): T[] { return [x]; } const a: string = '),
  nested('Array<', 'string', '>', 'let a: '),
  nested('(a => ', '1', ')', 'const a = '),
  ...['1+', 'true?1:', '!', '- ', 'a.b', 'await ', 'x=>', '"a"+', '[...', 'typeof '].map((pump) =>
    text(pump, 'const a: string = ', '1'),
  ),
  ...[
    'return 1;',
    'var a = 1;',
    'a = a;',
    'export {};',
    'import a from "b";',
    '}',
    '{',
    '/*',
    '`${',
  ].map((pump) => text(pump)),
  text('x', 'const a = `', '`; const b: number = a;'),
  text('(a|', 'const a = /', '/;'),
  text(
    'A,',
    "type F<N extends any[], A extends any[] = []> = A['length'] extends 900 ? A : F<N, [...A, F<A>]>; let x: F<[",
    '1]> = 1;',
  ),
];

const OF = 'languages/type-check';

export const TYPE_CHECK_TARGETS = [
  { name: 'type checker', of: OF, share: 25, make: () => makeTarget('typescript') },
  { name: 'type checker: names only', of: OF, share: 4, make: () => makeTarget('javascript') },
];

async function makeTarget(language) {
  const checker = new TypeChecker(undefined);
  await checker.warmUp();
  return {
    shapes: [...SHAPES, ...anyTexts().filter(({ before }) => before === '')],
    harmless: text('console.log("plain words");\n'),
    isText: true,
    pieces: ['type A = ', 'A<', '>', 'const a: ', ' = ', ';\n', '${', 'keyof ', 'extends ', '=> '],
    clock: 'main-thread',
    /** The checker ends a program after two seconds, and restarts. */
    deadlineMs: 15_000,
    run: (code) => checker.follow(false).check({ language, code, tools: [] }),
  };
}
