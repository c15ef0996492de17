import { describe, expect, it } from 'vitest';
import { useBench } from '../../../support/bench.ts';
import { compiles } from '../../../support/compiles.ts';
import { skippedFor } from '../../../support/skipped.ts';

const { print, run } = useBench({
  languages: ['javascript', 'typescript'],
  toolList: [
    {
      name: 'get_user',
      description: 'Fails.',
      inputSchema: { type: 'object' },
      run: () => {
        throw new Error('it broke');
      },
    },
  ],
});

/** What a program prints, with the same name for each run. */
async function printed(code: string): Promise<string> {
  const { stdout, stderr } = await run(code);
  return (stdout + stderr).replaceAll(/<run \d+>/g, '<run>').trimEnd();
}

describe('the stack of an error that a program of Node shows itself', () => {
  it.each([
    ['const a = 1; console.log(new Error("e").stack)', 'Error: e\n    at <run>:1:26'],
    ['let b = 1; console.error(new TypeError("e"))', 'TypeError: e\n    at <run>:1:26'],
    ['const a = 1; console.trace("here")', 'Trace: here\n    at <run>:1:22'],
    ['new Error("value")', 'Error: value\n    at <run>:1:1'],
    [
      'async function f() { await null; throw new Error("e"); }\nawait f().catch(console.log);',
      'Error: e\n    at f (<run>:1:40)\n    at async <run>:2:1',
    ],
    [
      'async function f() { await null; try { await get_user({}); } catch ({ stack }) { console.log(stack); } }\nawait f();',
      'ToolError: get_user failed (Failed): it broke\n    at async f (<run>:1:40)\n    at async <run>:2:1',
    ],
    [
      'const t = 1; setTimeout(() => [1].map(() => console.log(new Error("e").stack)), 1); await new Promise((done) => setTimeout(done, 9));',
      'Error: e\n    at <run>:1:57\n    at Array.map (<anonymous>)\n    at Timeout.<anonymous> (<run>:1:35)',
    ],
    [
      'const a = 1; console.log(new Function("return new Error(\'e\').stack")())',
      'Error: e\n    at eval (eval at <anonymous> (<run>:1:26), <anonymous>:3:8)\n    at <run>:1:69',
    ],
    [
      'class Special extends Error { name = "Special" }\nconsole.log(new Special("e").stack)',
      'Special: e\n    at <run>:2:13',
    ],
  ])('has its own frames, in terms of its own text: %s', async (code, expected) => {
    expect(await printed(code)).toBe(expected);
  });

  it('of Node itself has its code, and what of Node the program called', async () => {
    expect(
      await printed('try { Buffer.alloc("") } catch ({ stack }) { console.log(stack) }'),
    ).toMatch(
      /^TypeError \[ERR_INVALID_ARG_TYPE\]: The "size" argument must be .*\n    at .*alloc \(node:buffer:.*\)\n    at <run>:1:14$/,
    );
  });

  it('is as long as in Node, and as long as the program wants it', async () => {
    const deep =
      'function deep(n) { if (n === 0) throw new Error("deep"); deep(n - 1) }\ntry { deep(30) } catch ({ stack }) { console.log(stack.split("\\n").length - 1) }';
    expect(await printed(deep)).toBe('10');
    expect(await printed(`Error.stackTraceLimit = 4; ${deep}`)).toBe('4');
    expect(await printed(`Error.stackTraceLimit = Infinity; ${deep}`)).toBe('32');
    await print('Error.stackTraceLimit = 60');
    const { error } = await run('\ndeep(30)');
    expect(error).toMatchObject({ line: 2 });
    expect(error?.traceback.match(/ at /g)).toHaveLength(10);
  });

  it('is what the program makes of it, for as long as it wants', async () => {
    expect(
      await print(
        'const kept = Error.prepareStackTrace;\nError.prepareStackTrace = (error, frames) => frames[0].getLineNumber();\nconsole.log(new Error("e").stack);\nError.prepareStackTrace = kept;\nvoid 0;',
      ),
    ).toBe('3\n');
    expect(await printed('let a = 1; console.log(new Error("e").stack)')).toBe(
      'Error: e\n    at <run>:1:24',
    );
  });

  it('has the columns of earlier programs too', async () => {
    await print('const rate = 2; function fail() { throw new Error("e") }');
    expect(await printed('try { fail() } catch ({ stack }) { console.log(stack) }')).toBe(
      'Error: e\n    at fail (<run>:1:41)\n    at <run>:1:7',
    );
  });
});

/** Modifiers in patterns, which the parser of the guest knows and this release of Node may not. */
const HAS_MODIFIERS = compiles('/(?i:a)/');

/** The traceback of a program, without the number of its run. */
async function tracebackOf(code: string): Promise<string | undefined> {
  const { error } = await run(code);
  return error?.traceback.replaceAll(/<run \d+>/g, '<run>');
}

describe('the traceback of a program of Node', () => {
  it('has the frames of modules that the program wrote, and not those of libraries', async () => {
    await print(`
      const { mkdirSync, writeFileSync } = require("node:fs");
      writeFileSync("broken.js", "exports.fail = function fail() {\\n  null.x;\\n};\\n");
      writeFileSync("broken.mjs", "\\nnull.x;\\n");
      mkdirSync("node_modules/call", { recursive: true });
      writeFileSync("node_modules/call/index.js", "module.exports = (f) => f();\\n");`);
    const called = await run('require("call")(() => require("./broken.js").fail());');
    expect(called.error).toMatchObject({ type: 'TypeError', line: 1 });
    expect(called.error?.traceback).toMatch(
      /\n {4}at Object\.fail \(\/.*\/broken\.js:2:8\)\n {4}at <run \d+>:1:46\n {4}at <run \d+>:1:16$/,
    );
    const imported = await run('import "./broken.mjs";');
    expect(imported.error?.traceback).toMatch(
      /\n {4}at file:\/\/\/.*\/broken\.mjs:2:6\n {4}at async <run \d+>:1:1$/,
    );
  });

  it('says that a syntax error is in an imported module, for which Node has no place', async () => {
    await print('require("node:fs").writeFileSync("wrong.mjs", "const a = ;")');
    for (const code of ['import "./wrong.mjs"', 'await import("./wrong.mjs")']) {
      expect((await run(code)).error).toMatchObject({
        type: 'SyntaxError',
        message: "Unexpected token ';': this is in a module that the program imports",
        traceback: expect.stringContaining(': this is in a module that the program imports'),
      });
    }
    expect((await run('JSON.parse(";")')).error?.message).not.toContain('module');
    await print('require("node:fs").writeFileSync("parses.mjs", "JSON.parse(\';\')")');
    const { error } = await run('await import("./parses.mjs")');
    expect(error?.message).toMatch(/is not valid JSON$/);
  });

  it.each([
    [
      'import { nothing } from "node:path";',
      "<run>:1\nimport { nothing } from \"node:path\";\n^\nSyntaxError: The requested module 'node:path' does not provide an export named 'nothing'\n    at <run>:1:1",
    ],
    [
      '\t\tconst a = 1; null.a;',
      "<run>:1\n\t\tconst a = 1; null.a;\n\t\t                  ^\nTypeError: Cannot read properties of null (reading 'a')\n    at <run>:1:21",
    ],
  ])('shows a line once, as it is, with a mark below the place: %j', async (code, expected) => {
    expect(await tracebackOf(code)).toBe(expected);
  });

  it(
    'has a mark below a pattern that only Node refuses',
    skippedFor(HAS_MODIFIERS ? 'this release of Node supports modifiers in patterns' : undefined),
    async () => {
      expect(await tracebackOf('const a = 1;\n  a = /(?i:a)/;')).toBe(
        '<run>:2\n  a = /(?i:a)/;\n      ^\nSyntaxError: Invalid regular expression: /(?i:a)/: Invalid group',
      );
    },
  );
});
