const doubled = (times: number): string =>
  [
    'type D<S extends string> = `${S}${S}`;',
    ...Array.from({ length: times }, (_, i) => `type S${i + 1} = D<${i ? `S${i}` : '"ab"'}>;`),
  ].join('\n');

function many(count: number, text: (index: number) => string, between = '\n'): string {
  return Array.from({ length: count }, (_, index) => text(index)).join(between);
}

/** Programs that ask more of a compiler than it has: depth, time, memory. Each is short enough to be checked. */
export const BOMBS: readonly (readonly [title: string, code: string])[] = [
  ['parentheses', `const a: number = ${'('.repeat(20_000)}1${')'.repeat(20_000)}`],
  ['a long sum', `const a = ${'1+'.repeat(200_000)}1`],
  ['a long condition', `const a = ${'true?1:'.repeat(50_000)}1`],
  ['nested lists', `const a = ${'['.repeat(200_000)}${']'.repeat(200_000)}`],
  [
    'a string type that is doubled to more than a string can be',
    `${doubled(28)}\nconst x: Uppercase<S28> = 1; const y: Lowercase<Uppercase<S27>> = 2;`,
  ],
  [
    'forty string types of 128 MiB',
    `${doubled(26)}\n${many(40, (i) => `const x${i}: Uppercase<\`${i}\${S26}\`> = 1;`)}`,
  ],
  ['many returns', 'return 1;'.repeat(50_000)],
  [
    'a large object',
    `const a = {${many(25_000, (i) => `k${i}: {v:${i}}`, ',')}}; const b: string = a;`,
  ],
  [
    'a type that is its own argument',
    "type F<N extends any[], A extends any[] = []> = A['length'] extends 900 ? A : F<N, [...A, F<A>]>; const x: F<[]> = 1;",
  ],
  [
    'ten thousand by ten thousand properties',
    "type C = 'a'|'b'|'c'|'d'|'e'|'f'|'g'|'h'|'i'|'j'; type U = `${C}${C}${C}${C}`; type V = { [K in U]: { [L in U]: K } }; " +
      'const v: V = {} as any; const w: { [K in U as `${K}x`]: V[K] } = v; console.log(w);',
  ],
  ['a deep pattern', `const a = /${'(a|'.repeat(50_000)}b${')'.repeat(50_000)}/;`],
  ['many errors', many(15_000, (i) => `const a${i}: string = ${i};`)],
  ['a name of 400,000 characters', `const ${'a'.repeat(400_000)} = 1;`],
  ['many names', `const ${many(20_000, (i) => `a${i} = ${i}`, ',')};`],
];
