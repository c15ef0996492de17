import assert from 'node:assert/strict';
import { test, type TestGroup } from '../../../src/testing/test-definition.ts';

/** Programs for Node, and their output in Node. The titles complete the sentence "a program …". */
const PROGRAMS: readonly (readonly [title: string, code: string, stdout: string])[] = [
  [
    'names the module of cryptography as Node does',
    'const crypto = require("crypto");\nconsole.log(crypto.randomUUID().length, crypto.createHash("md5").update("a").digest("hex"));',
    '36 0cc175b9c0f1b6a831c399e269772661\n',
  ],
  [
    'waits until all is written to its output',
    'const { Readable } = require("stream");\nconst { pipeline } = require("stream/promises");\nawait pipeline(Readable.from(["a\\n"]), process.stdout);\nawait pipeline(Readable.from(["b\\n"]), process.stdout);\nconsole.log("written");',
    'a\nb\nwritten\n',
  ],
  [
    'pipes to its output, and is called back for what it writes',
    'const { once } = require("events");\nconst source = require("stream").Readable.from(["a\\n", "b\\n"]);\nsource.pipe(process.stdout);\nawait once(source, "end");\nawait new Promise((done) => process.stdout.write("c\\n", done));\nconsole.log(process.stdout.fd, process.stderr.fd);',
    'a\nb\nc\n1 2\n',
  ],
  [
    'reads an input that has ended',
    'import { createInterface } from "node:readline";\nimport { once } from "node:events";\nconst lines = createInterface({ input: process.stdin });\nawait once(lines, "close");\nconsole.log("closed");',
    'closed\n',
  ],
  [
    'reads the lines of a stream',
    'const lines = require("readline").createInterface({ input: require("stream").Readable.from(["a\\nb", "c\\n"]) });\nfor await (const line of lines) console.log(line);',
    'a\nbc\n',
  ],
  [
    'compresses',
    'const zlib = require("node:zlib");\nconst { promisify } = require("util");\nconst packed = await promisify(zlib.gzip)("text");\nconsole.log(zlib.gunzipSync(packed).toString());\nconst bytes = new Blob(["web"]).stream().pipeThrough(new CompressionStream("gzip")).pipeThrough(new DecompressionStream("gzip"));\nconsole.log(await require("stream/consumers").text(bytes));',
    'text\nweb\n',
  ],
  [
    'keeps a store through what it awaits',
    'import { AsyncLocalStorage } from "node:async_hooks";\nconst store = new AsyncLocalStorage();\nconsole.log(await store.run(7, async () => { await null; return store.getStore(); }));',
    '7\n',
  ],
  [
    'asks how much memory and time it takes',
    'const { performance } = require("perf_hooks");\nconsole.log(process.memoryUsage().heapUsed > 0, process.uptime() > 0, process.hrtime.bigint() > 0n, performance.now() > 0);',
    'true true true true\n',
  ],
];

/** Programs for which Node prints a warning, and a part of the warning. */
const WARNINGS: readonly (readonly [code: string, stderr: string])[] = [
  ['process.emitWarning("careful", "Own", "W1");', '[W1] Own: careful'],
  ['console.timeEnd("unknown");', "Warning: No such label 'unknown' for console.timeEnd()"],
  ['require("util").deprecate(() => {}, "old", "D1")();', '[D1] DeprecationWarning: old'],
  [
    'const emitter = new (require("events"))();\nfor (let i = 0; i < 11; i += 1) emitter.on("x", () => {});',
    'MaxListenersExceededWarning: Possible EventEmitter memory leak detected',
  ],
];

/** Common programs for Node, which print the same in each sandbox as in Node. */
export function nodePrograms(): TestGroup {
  return {
    name: 'programs of Node',
    options: { languages: ['javascript'] },
    tests: [
      ...PROGRAMS.map(([title, code, expected]) =>
        test(`a program ${title}`, async (bench) => {
          const { error, stdout, stderr } = await bench.run(code);
          assert.deepEqual(
            { error, stdout, stderr },
            { error: undefined, stdout: expected, stderr: '' },
          );
        }),
      ),
      test('each program of a session has an input, which has ended', async (bench) => {
        const code = 'process.stdin.resume().on("end", () => console.log("end"));';
        for (let round = 0; round < 3; round += 1) {
          assert.equal(await bench.print(code), 'end\n');
        }
      }),
      ...WARNINGS.map(([code, expected]) =>
        test(`a program goes on if Node warns: ${code}`, async (bench) => {
          const told = 'await new Promise((done) => process.once("warning", done));';
          const { error, stdout, stderr } = await bench.run(`${code}\n${told}\nconsole.log("on");`);
          assert.deepEqual({ error, stdout }, { error: undefined, stdout: 'on\n' });
          assert.ok(stderr.includes(expected), stderr);
        }),
      ),
    ],
  };
}
