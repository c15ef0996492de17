/** A guest of twenty lines: what is done with a compiled program, and no more. */

import { format } from 'node:util';
import vm from 'node:vm';

interface Program {
  readonly functions: string;
  readonly functionsColumnOffset: number;
  readonly main: string;
  readonly mainColumnOffset: number;
  readonly names: readonly string[];
  readonly hasValue: boolean;
  readonly originalColumn: (line: number, column: number) => number;
}

interface Compiler {
  readonly compileProgram: (code: string, options: { readonly typescript: boolean }) => Program;
}

const compilerFile = new URL('../../../runner/javascript/compile/program.mjs', import.meta.url)
  .href;
const compiler = (await import(compilerFile)) as Compiler;
export const compileProgram: Compiler['compileProgram'] = compiler.compileProgram;

/** What one program came to. */
export interface Outcome {
  readonly output: string;
  readonly value: unknown;
  readonly error: { readonly name: string; readonly message: string } | null;
  /** The place of the error's top frame in the program's own text, from 1. */
  readonly at: { readonly line: number; readonly column: number } | null;
}

/** A context that programs run in one after another. */
export class Repl {
  readonly #context: vm.Context = vm.createContext({});
  readonly #typescript: boolean;
  #output = '';

  constructor({ typescript = false }: { readonly typescript?: boolean } = {}) {
    this.#typescript = typescript;
    const log = (...values: readonly unknown[]): void => {
      this.#output += `${format(...values)}\n`;
    };
    Object.assign(this.#context, { console: { log }, setTimeout, URL, structuredClone, Buffer });
  }

  async run(code: string): Promise<Outcome> {
    this.#output = '';
    let program: Program | undefined;
    try {
      program = compileProgram(code, { typescript: this.#typescript });
      const value = await this.#evaluate(program);
      return { output: this.#output, value, error: null, at: null };
    } catch (error) {
      const { name, message, stack = '' } = error as Error;
      return {
        output: this.#output,
        value: undefined,
        error: { name, message },
        at: program === undefined ? place(error) : topFrame(stack, program),
      };
    }
  }

  async #evaluate(program: Program): Promise<unknown> {
    const { functions, main, names, hasValue } = program;
    const body = this.#script(main, program.mainColumnOffset);
    this.#script(functions, program.functionsColumnOffset).runInContext(this.#context);
    for (const name of names) {
      const value: unknown = Object.hasOwn(this.#context, name) ? this.#context[name] : undefined;
      const attributes = { writable: true, enumerable: true, configurable: true };
      Object.defineProperty(this.#context, name, { value, ...attributes });
    }
    // A context's global object takes no heed of `writable: false`, unlike a real one.
    const constant = (name: string): void => {
      const value: unknown = this.#context[name];
      const set = (): never => {
        throw new TypeError(`Cannot assign to read only property '${name}' of object`);
      };
      Object.defineProperty(this.#context, name, { get: () => value, set });
    };
    const watch = (...values: readonly unknown[]): unknown => values.at(-1);
    const run = body.runInContext(this.#context) as (
      ...callbacks: readonly unknown[]
    ) => Promise<unknown>;
    const withoutEffect = (_method: unknown, result: unknown): unknown => result;
    const scope: unknown = vm.runInContext('this', this.#context);
    const value = await Reflect.apply(run, scope, [constant, watch, withoutEffect]);
    return hasValue ? value : undefined;
  }

  #script(text: string, columnOffset: number): vm.Script {
    const importModuleDynamically = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
    return new vm.Script(text, { filename: 'program.js', columnOffset, importModuleDynamically });
  }
}

function place(error: unknown): Outcome['at'] {
  const { line, column } = error as { readonly line?: number; readonly column?: number };
  return line === undefined || column === undefined ? null : { line, column };
}

function topFrame(stack: string, program: Program): Outcome['at'] {
  const frame = /program\.js:(\d+):(\d+)/.exec(stack);
  if (frame === null) {
    return null;
  }
  const line = Number(frame[1]);
  return { line, column: program.originalColumn(line, Number(frame[2])) };
}
