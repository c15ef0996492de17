// The programs of the scenarios, in each language. If there is a counter, it is `count`.

/**
 * Programs of one language.
 * @typedef {object} Programs
 * @property {string} interpreter - Languages with the same interpreter share variables.
 * @property {string} zero - Sets the counter to 0.
 * @property {string} increment - Adds 1 to the counter, and prints it.
 * @property {string} show - Prints the counter.
 * @property {string} keepSecret - Sets the variable `secret`.
 * @property {string} tellSecret - Prints whether the variable exists: `True` or `False`.
 * @property {(a: number | string, b: number) => string} add - Prints the result of the tool `add` for numbers or variables.
 * @property {string} count - Adds 1 to the counter with the tool `add`, and prints it.
 * @property {(text: string) => string} plant - Writes a text to a variable and, if there are files, to a file.
 * @property {(text: string) => string} swap - Prints a file if it exists, and writes a text to it.
 * @property {string} catchFailure - Prints `True` if it gets the message of the tool `fail`.
 * @property {readonly string[]} endless - Programs that never end, each in another way.
 * @property {string} wait - A program that waits forever, for a short time each.
 * @property {(rest: string) => string} mark - Prints `before`, calls the tool `mark`, and continues.
 * @property {string} manyCalls - Calls the tool `add` twenty times.
 * @property {string} nap - Sleeps for a moment.
 * @property {string} memoryBomb
 * @property {(megabytes: number) => string} flood - Prints `head`, this much text, and `tail`.
 * @property {string} suicide - Ends its interpreter.
 */

/** @type {Programs} */
const python = {
  interpreter: 'python',
  zero: 'count = 0',
  increment: 'count += 1\nprint(count)',
  show: 'print(count)',
  keepSecret: 'secret = 1',
  tellSecret: 'print("secret" in globals())',
  add: (a, b) => `print(await add(a=${a}, b=${b}))`,
  count: 'count = await add(a=count, b=1)\nprint(count)',
  plant: (text) => `canary = "${text}"\nwith open("/tmp/canary", "w") as file: file.write(canary)`,
  swap: (text) =>
    `import os\nif os.path.exists("/tmp/swap"): print(open("/tmp/swap").read())\nwith open("/tmp/swap", "w") as file: _ = file.write("${text}")`,
  catchFailure:
    'try:\n  await fail()\nexcept Exception as error:\n  print("this tool" in str(error))',
  endless: [
    'while True: pass',
    'import time; time.sleep(60)',
    'import asyncio; await asyncio.sleep(60)',
  ],
  wait: 'import asyncio\nwhile True: await asyncio.sleep(0.01)',
  mark: (rest) => `print("before")\nawait mark()\n${rest}`,
  manyCalls: 'for number in range(20): await add(a=number, b=1)',
  nap: 'import time\ntime.sleep(0.05)',
  memoryBomb: 'blocks = []\nwhile True: blocks.append(b"x" * (1 << 20) + bytes(len(blocks)))',
  flood: (megabytes) =>
    `print("head")\nfor _ in range(${megabytes}): print("x" * 1000000)\nprint("tail")`,
  suicide: 'import os\nos._exit(9)',
};

/** @type {Programs} */
const javascript = {
  interpreter: 'javascript',
  zero: 'let count = 0;',
  increment: 'count += 1;\nconsole.log(count);',
  show: 'console.log(count);',
  keepSecret: 'const secret = 1;',
  tellSecret: 'console.log(typeof secret === "undefined" ? "False" : "True");',
  add: (a, b) => `console.log(await add({ a: ${a}, b: ${b} }));`,
  count: 'count = await add({ a: count, b: 1 });\nconsole.log(count);',
  plant: (text) =>
    `const canary = "${text}";\nif (typeof require !== "undefined") require("node:fs").writeFileSync("/tmp/canary", canary);`,
  swap: (text) =>
    `import { existsSync, readFileSync, writeFileSync } from "node:fs";\nif (existsSync("/tmp/swap")) console.log(readFileSync("/tmp/swap", "utf8"));\nwriteFileSync("/tmp/swap", "${text}");`,
  catchFailure:
    'try {\n  await fail();\n} catch (error) {\n  console.log(error.message.includes("this tool") ? "True" : "False");\n}',
  endless: [
    'for (;;);',
    'await new Promise((resolve) => setTimeout(resolve, 60_000));',
    'for (;;) await null;',
  ],
  wait: 'for (;;) await new Promise((resolve) => setTimeout(resolve, 10));',
  mark: (rest) => `console.log("before");\nawait mark();\n${rest}`,
  manyCalls: 'for (let number = 0; number < 20; number += 1) await add({ a: number, b: 1 });',
  nap: 'await new Promise((resolve) => setTimeout(resolve, 50));',
  memoryBomb: 'const blocks = [];\nfor (;;) blocks.push(new Uint8Array(2 ** 20).fill(1));',
  flood: (megabytes) =>
    `console.log("head");\nfor (let i = 0; i < ${megabytes}; i += 1) console.log("x".repeat(1_000_000));\nconsole.log("tail");`,
  suicide: 'process.kill(process.pid, "SIGKILL");',
};

/** @type {Programs} */
const typescript = {
  ...javascript,
  zero: 'let count: number = 0;',
  increment: 'count += 1 as number;\nconsole.log(count);',
  keepSecret: 'enum Secret {\n  Kept = 1,\n}\nconst secret: Secret = Secret.Kept;',
  add: (a, b) => `const sum: number = await add({ a: ${a}, b: ${b} });\nconsole.log(sum);`,
  catchFailure:
    'try {\n  await fail();\n} catch (error: unknown) {\n  const { message } = error as Error;\n  console.log(message.includes("this tool") ? "True" : "False");\n}',
  memoryBomb:
    'const blocks: Uint8Array[] = [];\nfor (;;) blocks.push(new Uint8Array(2 ** 20).fill(1));',
};

/** @type {Programs} */
const bash = {
  interpreter: 'bash',
  zero: 'count=0',
  increment: 'count=$((count + 1))\necho $count',
  show: 'echo $count',
  keepSecret: 'secret=1',
  tellSecret: 'if [[ -v secret ]]; then echo True; else echo False; fi',
  add: (a, b) => `add --a ${Number.isInteger(a) ? a : `$${a}`} --b ${b}`,
  count: 'count=$(add --a $count --b 1)\necho $count',
  plant: (text) => `canary='${text}'\nprintf %s "$canary" >/tmp/canary`,
  swap: (text) =>
    `if [[ -e /tmp/swap ]]; then echo "$(</tmp/swap)"; fi\nprintf %s '${text}' >/tmp/swap`,
  catchFailure:
    'message=$(fail 2>&1)\nif [[ $message == *"this tool"* ]]; then echo True; else echo False; fi',
  endless: ['while :; do :; done', 'sleep 60', 'read -t 60 < <(sleep 60)'],
  wait: 'while :; do sleep 0.01; done',
  mark: (rest) => `echo before\nmark >/dev/null\n${rest}`,
  manyCalls: 'for number in {1..20}; do add --a $number --b 1 >/dev/null; done',
  nap: 'sleep 0.05',
  memoryBomb: 'hoard=x\nwhile :; do hoard=$hoard$hoard; done',
  flood: (megabytes) =>
    `echo head\nyes "$(printf 'x%.0s' {1..999})" | head -c ${megabytes}000000\necho tail`,
  suicide: 'kill -9 $$',
};

/** @type {Readonly<Record<string, Programs>>} */
export const PROGRAMS = { python, typescript, javascript, bash };
