import { readdirSync, readFileSync } from 'node:fs';
import { format } from 'node:util';
import vm from 'node:vm';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { Repl } from './repl.ts';

const programsDirectory = new URL('../../fixtures/typescript-programs/', import.meta.url);

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
