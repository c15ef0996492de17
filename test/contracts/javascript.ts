import { describe, expect, it } from 'vitest';
import { describeNodePrograms } from './node-programs.ts';
import { describeProcessEvents } from './process-events.ts';
import { useBench, type Subject } from './subject.ts';
import { describeJavascriptValues } from './values.ts';

/** Each takes or changes something that the runner itself uses. */
const CHANGES = [
  'const process = 1;',
  'let process;',
  'globalThis.process = null;',
  'delete globalThis.process;',
  'Object.freeze(process);',
  'Object.defineProperty(globalThis, "process", { get() { throw new Error("no"); } });',
  'Object.defineProperty(process, "stdout", { value: 1 });',
  'Object.defineProperty(globalThis, "console", { value: { log() {} }, configurable: true });',
  'const console = 1, Buffer = 2, Promise = 3, Reflect = 4, Symbol = 5, Object = 6, Array = 7, TypeError = 8;',
  'globalThis.setTimeout = globalThis.setImmediate = globalThis.queueMicrotask = globalThis.structuredClone = null;',
  'Object.defineProperty(Array.prototype, 0, { get() { return 7; }, set() {}, configurable: true });',
  'Array.prototype.map = Array.prototype.push = Array.prototype.every = Array.prototype.reduce = null;',
  'Array.prototype.constructor = Promise.prototype.constructor = null;',
  'RegExp.prototype.exec = RegExp.prototype.test = String.prototype.matchAll = String.prototype.split = null;',
  'Object.defineProperty(RegExp.prototype, "flags", { get() { throw new Error("no"); } });',
  'Object.getPrototypeOf(new Map().entries()).next = Object.getPrototypeOf("".matchAll(/a/g)).next = null;',
  'for (const name of ["get", "set", "value"]) Object.prototype[name] = 5;',
  'for (const name of ["type", "body", "start", "line", "marker"]) Object.prototype[name] = "no";',
  'JSON.stringify = JSON.parse = Object.keys = Object.entries = null;',
];

/** What JavaScript must do alike in every place that runs it. */
export function describeJavascript(subject: Subject): void {
  describe(`contract of JavaScript: ${subject.name}`, () => {
    const bench = useBench(subject, { languages: ['javascript', 'typescript'] });
    const { open, print, run } = bench;

    describe('a program that changes what the runner uses too', () => {
      it.each(CHANGES)('has its session go on: %s', async (code) => {
        const session = await open();
        try {
          expect(await session.execute(`${code}\n"changed"`)).toMatchObject({
            status: 'ok',
            stdout: "'changed'\n",
            stderr: '',
          });
          expect(await session.execute('const kept = 20 + 22; kept')).toMatchObject({
            status: 'ok',
            stdout: '42\n',
          });
          const typed = 'const text: string = "typed";\nnull.a as unknown;';
          expect(await session.execute(typed, { language: 'typescript' })).toMatchObject({
            status: 'error',
            sessionOpen: true,
            error: { type: 'TypeError', line: 2 },
          });
        } finally {
          await session.destroy();
        }
      });
    });

    describe('what a program changes', () => {
      it('is there in the next run', async () => {
        await run(
          'Array.prototype.last = function () { return this.at(-1); };\nArray.prototype.join = () => "joined";\ndelete String.prototype.bold;',
        );
        expect(await print('[[1, 2].last(), [1].join(), "".bold]')).toBe(
          "[ 2, 'joined', undefined ]\n",
        );
      });

      it('is given back where it fails', async () => {
        await run('Object.prototype.mine = 1;\nnull.a;');
        await run('} no program {');
        expect(await print('({}).mine')).toBe('1\n');
        await run('delete Object.prototype.mine;');
        expect(await print('({}).mine')).toBe('');
      });

      it('is all that an object of the name process has', async () => {
        await run('const process = { own: 1 };');
        expect(await print('process.more = 2; process')).toBe('{ own: 1, more: 2 }\n');
      });
    });

    describe('a program that asks which file it is', () => {
      it.each([
        'import { fileURLToPath } from "node:url";\nif (process.argv[1] === fileURLToPath(import.meta.url)) main();\nfunction main() { console.log("main"); }',
        'if (import.meta.filename === process.argv[1]) { console.log("main"); }',
        'if (import.meta.url === `file://${process.argv[1]}`) console.log("main");',
        'module.exports = { main };\nif (require.main === module) { main(); }\nfunction main() { console.log("main"); }',
        'exports.main = 1; if (require.main.filename === __filename) console.log("main");',
        'const { dirname } = await import("node:path");\nif (dirname(__filename) === __dirname && import.meta.dirname === __dirname) console.log("main");',
        'const here = new URL("data.json", import.meta.url);\nif (here.pathname === require("path").join(process.cwd(), "data.json")) console.log("main");',
        'if (process.argv.slice(2).length === 0 && process.argv.length === 2) console.log("main");',
      ])('is the one that was started: %j', async (code) => {
        const { executor } = bench;
        for (const language of ['javascript', 'typescript'] as const) {
          const { error, stdout } = await executor.execute(code, { language });
          expect({ error, stdout }).toEqual({ error: undefined, stdout: 'main\n' });
        }
      });

      it('may have all these names for itself', async () => {
        const session = await open();
        const code =
          'const module = 1, exports = 2, __filename = 3, __dirname = 4;\nfunction require() { return 5 }\n[module, exports, __filename, __dirname, require()]';
        const { stdout } = await session.execute(code);
        await session.destroy();
        expect(stdout).toBe('[ 1, 2, 3, 4, 5 ]\n');
      });
    });

    describe('modules', () => {
      it.each([
        'const { join } = require("node:path"); const util = require("util"); console.log(join("a", "b"), util.format("%d", 1));',
        'import { join } from "path"; import util from "node:util"; console.log(join("a", "b"), util.format("%d", 1));',
        'import { createRequire } from "node:module"; const own = createRequire(import.meta.url); console.log(own("path").join("a", "b"), own("util").format("%d", 1));',
        'console.log(path.join("a", "b"), util.format("%d", 1));',
      ])('come by every road of Node: %s', async (code) => {
        const { error, stdout } = await bench.runOnce(code);
        expect({ error, stdout }).toEqual({ error: undefined, stdout: 'a/b 1\n' });
      });

      it.each(['require("left-pad")', 'await import("left-pad")', 'require("./own.js")'])(
        'that are not there are an error that says so: %s',
        async (code) => {
          expect(
            await print(
              `try { ${code}; } catch ({ code, message }) { console.log(/MODULE_NOT_FOUND/.test(code), message.includes("Cannot find")); }`,
            ),
          ).toBe('true true\n');
        },
      );
    });

    describeProcessEvents(subject);
    describeNodePrograms(subject);
    describeJavascriptValues(subject);
  });
}
