import { describe, expect, it } from 'vitest';
import { useBench } from '../../../support/bench.ts';
import { compileProgram } from '../repl.ts';

const { print, run } = useBench({
  languages: ['javascript', 'typescript'],
  toolList: [
    {
      name: 'get_user',
      description: 'Gets a user, after a while.',
      inputSchema: { type: 'object' },
      run: async (input) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        if ('fail' in (input as object)) throw new Error('it broke');
        return { name: 'Ada' };
      },
    },
  ],
});

const PRINTS_A_NAME = 'console.log((await get_user({})).name);';
const MAIN = `async function main() { ${PRINTS_A_NAME} }`;

describe('what a statement of a program of Node starts', () => {
  it.each([
    ['a call of a function that is declared after it', `main();\n${MAIN}`],
    ['a call with other definitions after it', `main();\n${MAIN}\nclass A {}\nexport { main };`],
    ['a call whose value is thrown away', `${MAIN}\nvoid main();`],
    ['a call that others handle', `${MAIN}\nmain().catch(console.error);`],
    ['a call in a condition', `${MAIN}\nif (true) main();`],
    ['a call in a block of a condition', `${MAIN}\nif (true) { main(); } else { main(); }`],
    ['a call in an expression', `${MAIN}\ntrue && main();\nlet last;`],
    ['a call in a sequence', `${MAIN}\nmain(), 1;\nlet last;`],
    ['a call in a try', `${MAIN}\ntry { main(); } catch {} finally { 1; }`],
    ['a call in a loop', `${MAIN}\nfor (const each of [1]) { main(); }`],
    ['a call in a switch', `${MAIN}\nswitch (1) { case 1: main(); }`],
    [
      'a function that is called at once',
      `(async () => { ${PRINTS_A_NAME} })();\nconst other = 5;`,
    ],
    ['a chain', 'get_user({}).then(({ name }) => console.log(name));\nconst other = 5;'],
    ['a value that is assigned', `let task;\ntask = (async () => { ${PRINTS_A_NAME} })();\nlet b;`],
  ])('is done when the run ends: %s', async (_, code) => {
    expect(await run(code)).toMatchObject({ status: 'ok', stdout: 'Ada\n', stderr: '' });
  });

  // A call in the callback is not the value of a statement.
  it.each([
    [
      'compiled by V8',
      '[1].forEach(() => WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(() => console.log("Ada")));',
    ],
    [
      'woken by V8',
      '[new Int32Array(new SharedArrayBuffer(4))].forEach((a) => { Atomics.waitAsync(a, 0, 0).value.then(() => console.log("Ada")); Atomics.notify(a, 0); });',
    ],
    [
      'read from a file',
      '[1].forEach(() => require("node:fs").readFile("/dev/null", () => console.log("Ada")));',
    ],
    [
      'done in a later turn',
      '[1].forEach(() => setImmediate(() => process.nextTick(() => queueMicrotask(() => console.log("Ada")))));',
    ],
    [
      'read from a file after jobs',
      '[1].forEach(() => { queueMicrotask(() => {}); process.nextTick(() => {}); require("node:fs").readFile("/dev/null", () => console.log("Ada")); });',
    ],
    [
      'derived from a key',
      '[1].forEach(() => require("node:crypto").scrypt("a", "b", 8, () => console.log("Ada")));',
    ],
  ])('is done when the run ends, if nothing refers to it: %s', async (_, code) => {
    expect(await run(code)).toMatchObject({ status: 'ok', stdout: 'Ada\n', stderr: '' });
  });

  it('is done when the run ends, if an earlier run had begun it', async () => {
    await run(
      'var packer = require("node:zlib").createDeflate().resume(); packer.on("end", () => console.log("Ada")); 0',
    );
    expect(await run('[1].forEach(() => packer.end("text")); 0')).toMatchObject({
      stdout: 'Ada\n0\n',
    });
  });

  it('may be several things, with timers and files among them', async () => {
    const { stdout, stderr } = await run(
      'import fs from "node:fs";\nimport readline from "node:readline";\nasync function wait(n) { await new Promise((resolve) => setTimeout(resolve, n)); console.log(n); }\nwait(40);\nwait(20);\nreadline.createInterface({ input: fs.createReadStream("/proc/self/comm") }).on("line", () => console.log("line")).on("close", () => console.log("closed"));\nconsole.log("begun");',
    );
    expect(stdout.split('\n').sort()).toEqual(['', '20', '40', 'begun', 'closed', 'line']);
    expect(stdout).toMatch(/^begun\n[^]*20\n[^]*40\n/);
    expect(stderr).toBe('');
  });

  it('fails the run where nobody handles that it fails, with the line', async () => {
    const { error, stdout } = await run(
      `async function main() {\n  await get_user({ fail: 1 });\n}\nmain();\nconsole.log('begun');`,
    );
    expect(error).toMatchObject({ type: 'ToolError', line: 2 });
    expect(stdout).toBe('begun\n');
  });

  it('fails nothing where something else handles it, whenever that began', async () => {
    expect(
      await print(
        'let task;\ntask = get_user({ fail: 1 });\n(async () => { try { await task } catch (error) { console.log(error.type) } })();\nlet last;',
      ),
    ).toBe('Failed\n');
  });

  it('is no longer waited for once nothing is left that could settle it', async () => {
    expect(await run('new Promise(() => {});\nconsole.log("on")')).toMatchObject({
      status: 'ok',
      stdout: 'on\n',
      stderr: expect.stringMatching(/^Warning: the program ended while it waited for a promise/),
    });
  });

  it('is stopped with the run, and ends with its status', async () => {
    expect(
      await run('(async () => { for (;;) await get_user({}) })();\nlet a;', { timeoutMs: 200 }),
    ).toMatchObject({ status: 'timeout', sessionOpen: true });
    expect(
      await run('(async () => { await get_user({}); process.exit(3) })();\nlet b;'),
    ).toMatchObject({ status: 'error', exitCode: 3 });
  });

  it('in functions that are called with each item is done too', async () => {
    expect(await run(`[1, 2].forEach(async () => { ${PRINTS_A_NAME} })`)).toMatchObject({
      stdout: 'Ada\nAda\n',
      stderr: '',
    });
  });

  it('does not count if it would not keep Node, or was ended', async () => {
    const result = await run(
      'const a = setInterval(() => {}, 1), b = setTimeout(() => {}, 1e5);\nsetTimeout(() => {}, 1e5).unref();\nclearInterval(a); clearTimeout(Number(b));\nconst { setTimeout: later } = require("node:timers/promises");\nawait later(1);',
    );
    expect(result).toMatchObject({ status: 'ok', stderr: '' });
  });

  it('may go on for what the program does when it hears that nothing is left', async () => {
    const code =
      'process.on("beforeExit", async (code) => console.log(code, (await get_user({})).name)); console.log("end");';
    expect(await run(code)).toMatchObject({ status: 'ok', stdout: 'end\n0 Ada\n' });
    expect(await print('process.emit("beforeExit"); console.log("on")')).toBe('on\n');
  });
});

describe('the value of a program of Node', () => {
  it.each([
    ['main();\nasync function main() { return 5 }', '5\n'],
    [
      'main();\nasync function main() { await null; return E }\nclass E {}\nexport { main };',
      '[class E]\n',
    ],
    ['1;\nexport class F {}\nimport "node:path";', '1\n'],
    ['void (async () => 5)();', ''],
    ['1;\nconst n = 2;', ''],
    ['1;\nif (true) { 2; }', ''],
  ])('is that of its last statement that is not a definition: %j', async (code, expected) => {
    expect(await print(code)).toBe(expected);
  });

  it('comes about under names that no program has', () => {
    const { main } = compileProgram('watch(1); shown$ = 2;\nclass A {}', { typescript: false });
    expect(main).toContain('(constant,watch$,withoutEffect,shown$$)');
  });
});
