import assert from 'node:assert/strict';
import { assertMatches } from '../../../src/testing/assert-matches.ts';
import { test, type TestGroup } from '../../../src/testing/test-definition.ts';

/** Each program replaces or changes something that the runner uses too. */
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

/** What is repeated before the middle of a program, its middle, and what is repeated after it. */
const NESTED = [
  ['`${', '1', '}`'],
  ['()=>{', '', '}'],
  ['if(0){}else ', '{}', ''],
  ['{', '1;', '}'],
] as const;

/** What JavaScript programs can rely on: changed globals, the program as a file, modules. */
export function javascriptLanguage(): TestGroup {
  return {
    name: 'JavaScript',
    options: { languages: ['javascript', 'typescript'] },
    tests: [
      ...CHANGES.map((code) =>
        test(`a session goes on after a program changed what the runner uses: ${code}`, async (bench) => {
          const session = await bench.open();
          try {
            assertMatches(await session.execute(`${code}\n"changed"`), {
              status: 'ok',
              stdout: 'changed\n',
              stderr: '',
            });
            assertMatches(await session.execute('const kept = 20 + 22; kept'), {
              status: 'ok',
              stdout: '42\n',
            });
            const typed = 'const text: string = "typed";\nnull.a as unknown;';
            assertMatches(await session.execute(typed, { language: 'typescript' }), {
              status: 'error',
              sessionOpen: true,
              error: { type: 'TypeError', line: 2 },
            });
          } finally {
            await session.destroy();
          }
        }),
      ),
      test('a program has the global object as `this`, and no `arguments`', async (bench) => {
        const code = "(this === globalThis) + ' ' + typeof arguments;";
        assertMatches(await bench.run(code), { status: 'ok', stdout: 'true undefined\n' });
        assertMatches(await bench.run('this === globalThis'), { status: 'ok', stdout: 'true\n' });
      }),
      test('a program that is nested too deeply has an error that says so, and the session goes on', async (bench) => {
        await using session = await bench.open();
        await session.execute('const kept = 42;');
        for (const language of ['javascript', 'typescript'] as const) {
          for (const [before, middle, after] of NESTED) {
            const code = `1;\n${before.repeat(20_000)}${middle}${after.repeat(20_000)}`;
            assertMatches(await session.execute(code, { language }), {
              status: 'error',
              sessionOpen: true,
              error: { type: 'SyntaxError', message: /nested too deeply/ },
            });
          }
          assertMatches(await session.execute('kept', { language }), { stdout: '42\n' });
        }
      }),
      test('what a program changes in prototypes is there for the next program', async (bench) => {
        await using session = await bench.open();
        await session.execute(
          'Array.prototype.last = function () { return this.at(-1); };\nArray.prototype.join = () => "joined";\ndelete String.prototype.bold;',
        );
        const { stdout } = await session.execute('[[1, 2].last(), [1].join(), "".bold]');
        assert.equal(stdout, "[ 2, 'joined', undefined ]\n");
      }),
      test('what a program changes in prototypes stays if the program fails', async (bench) => {
        await bench.run('Object.prototype.mine = 1;\nnull.a;');
        await bench.run('} no program {');
        assert.equal(await bench.print('({}).mine'), '1\n');
        await bench.run('delete Object.prototype.mine;');
        assert.equal(await bench.print('({}).mine'), '');
      }),
      test('a name whose declaration a program did not reach is unknown to the next program', async (bench) => {
        const failed = await bench.run(
          'try { never } catch ({ message }) { console.log(message) }\nnull.a;\nconst never = 1;',
        );
        assertMatches(failed, {
          status: 'error',
          stdout: "Cannot access 'never' before initialization\n",
        });
        assert.equal(
          await bench.print('[typeof never, globalThis.never, "never" in globalThis]'),
          "[ 'undefined', undefined, false ]\n",
        );
        assertMatches(await bench.run('never'), { error: { message: 'never is not defined' } });
        assert.equal(await bench.print('const never = 2; never'), '2\n');
      }),
      test('a variable of the name process has only the properties that programs give it', async (bench) => {
        await using session = await bench.open();
        await session.execute('const process = { own: 1 };');
        const { stdout } = await session.execute('process.more = 2; process');
        assert.equal(stdout, '{ own: 1, more: 2 }\n');
      }),
      ...(
        [
          'import { fileURLToPath } from "node:url";\nif (process.argv[1] === fileURLToPath(import.meta.url)) main();\nfunction main() { console.log("main"); }',
          'if (import.meta.filename === process.argv[1]) { console.log("main"); }',
          'if (import.meta.url === `file://${process.argv[1]}`) console.log("main");',
          'module.exports = { main };\nif (require.main === module) { main(); }\nfunction main() { console.log("main"); }',
          'exports.main = 1; if (require.main.filename === __filename) console.log("main");',
          'const { dirname } = await import("node:path");\nif (dirname(__filename) === __dirname && import.meta.dirname === __dirname) console.log("main");',
          'const here = new URL("data.json", import.meta.url);\nif (here.pathname === require("path").join(process.cwd(), "data.json")) console.log("main");',
          'if (process.argv.slice(2).length === 0 && process.argv.length === 2) console.log("main");',
        ] as const
      ).map((code) =>
        test(`a program that asks is the file that was started: ${JSON.stringify(code)}`, async (bench) => {
          for (const language of ['javascript', 'typescript'] as const) {
            const { error, stdout } = await bench.run(code, { language });
            assert.deepEqual({ error, stdout }, { error: undefined, stdout: 'main\n' });
          }
        }),
      ),
      test('a program can use the names of module scope for variables of its own', async (bench) => {
        const session = await bench.open();
        const code =
          'const module = 1, exports = 2, __filename = 3, __dirname = 4;\nfunction require() { return 5 }\n[module, exports, __filename, __dirname, require()]';
        const { stdout } = await session.execute(code);
        await session.destroy();
        assert.equal(stdout, '[ 1, 2, 3, 4, 5 ]\n');
      }),
      ...(
        [
          'const { join } = require("node:path"); const tools = require("util"); console.log(join("a", "b"), tools.format("%d", 1));',
          'import { join } from "path"; import tools from "node:util"; console.log(join("a", "b"), tools.format("%d", 1));',
          'import { createRequire } from "node:module"; const own = createRequire(import.meta.url); console.log(own("path").join("a", "b"), own("util").format("%d", 1));',
          'console.log(path.join("a", "b"), util.format("%d", 1));',
        ] as const
      ).map((code) =>
        test(`modules can be loaded in every way that Node has: ${code}`, async (bench) => {
          const { error, stdout } = await bench.run(code);
          assert.deepEqual({ error, stdout }, { error: undefined, stdout: 'a/b 1\n' });
        }),
      ),
      test('a program has what it imports from its first statement on', async (bench) => {
        const code =
          'console.log(join("a", "b"), named.sep);\nimport { join } from "node:path";\nimport * as named from "node:path";';
        assert.equal(await bench.print(code), 'a/b /\n');
      }),
      ...(['require("left-pad")', 'await import("left-pad")', 'require("./own.js")'] as const).map(
        (code) =>
          test(`a module that does not exist is an error that says so: ${code}`, async (bench) => {
            assert.equal(
              await bench.print(
                `try { ${code}; } catch ({ code, message }) { console.log(/MODULE_NOT_FOUND/.test(code), message.includes("Cannot find")); }`,
              ),
              'true true\n',
            );
          }),
      ),
    ],
  };
}
