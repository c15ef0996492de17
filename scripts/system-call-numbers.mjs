// Writes src/sandbox/seccomp/system-call-numbers.ts from the headers of the kernel, as Debian's linux-libc-dev
// has them, and from the built package: `npm run build && node scripts/system-call-numbers.mjs`. It needs
// to be run again only where src/sandbox/seccomp/system-calls.ts names a call that the file lacks; a test tells.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  ALLOWED_SYSTEM_CALLS,
  CONDITIONAL_SYSTEM_CALLS,
} from '../dist/sandbox/seccomp/system-calls.js';

const TARGET = resolve(import.meta.dirname, '../src/sandbox/seccomp/system-call-numbers.ts');
const LINE_WIDTH = 90;

/** What 64-bit ARM asks the list for that all newer architectures share. */
const ARM_WANTS = ['RENAMEAT', 'NEW_STAT', 'SET_GET_RLIMIT', 'TIME32_SYSCALLS', 'SYS_CLONE3'];
/** Calls that the headers of Debian 12 are too old for. Since 2019 a new one has one number everywhere. */
const NEWER = { fchmodat2: 452, futex_wake: 454, futex_wait: 455, futex_requeue: 456 };

const wanted = [
  ...ALLOWED_SYSTEM_CALLS.flatMap(({ names }) => names),
  ...CONDITIONAL_SYSTEM_CALLS.map(({ name }) => name),
].sort((one, other) => (one < other ? -1 : 1));

/** @returns `name number` for each wanted call that the architecture has. */
function readNumbers(header, options) {
  const source = `#include <${header}>`;
  const macros = execFileSync('cpp', ['-dM', ...options, '-'], { input: source, encoding: 'utf8' });
  const values = new Map(
    [...macros.matchAll(/^#define (__NR\w+) (\w+)$/gm)].map(([, name, value]) => [name, value]),
  );
  const numberOf = (value) => (values.has(value) ? numberOf(values.get(value)) : Number(value));
  return wanted.flatMap((name) => {
    const macro = `__NR_${name}`;
    const number = values.has(macro) ? numberOf(macro) : NEWER[name];
    return number === undefined ? [] : [`${name} ${number}`];
  });
}

/** Wraps a list at blanks between its pairs. */
function wrap(pairs) {
  const lines = [''];
  for (const pair of pairs) {
    const line = lines.at(-1);
    if (line.length + pair.length + 2 > LINE_WIDTH) lines.push(pair);
    else lines[lines.length - 1] = line === '' ? pair : `${line}  ${pair}`;
  }
  return lines.map((line) => `  ${line}`).join('\n');
}

const x86 = readNumbers('asm/unistd_64.h', []);
const arm = readNumbers(
  'asm-generic/unistd.h',
  ARM_WANTS.map((want) => `-D__ARCH_WANT_${want}`),
);
writeFileSync(
  TARGET,
  `// Written by scripts/system-call-numbers.mjs.

/** Numbers by name, for the system calls of \`system-calls.ts\` that an architecture has. */
export type SystemCallNumbers = ReadonlyMap<string, number>;

/** Reads pairs of a name and a number. */
function numbers(list: string): SystemCallNumbers {
  const pairs = list.matchAll(/(\\w+) (\\d+)/g);
  return new Map(Array.from(pairs, ([, name = '', number]) => [name, Number(number)]));
}

export const X86_64_NUMBERS: SystemCallNumbers = numbers(\`
${wrap(x86)}
\`);

export const ARM_64_NUMBERS: SystemCallNumbers = numbers(\`
${wrap(arm)}
\`);
`,
);
console.log(`${TARGET}: ${x86.length} and ${arm.length} of ${wanted.length} calls`);
