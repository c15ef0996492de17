import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { useBench } from '../../../support/bench.ts';

const { run } = useBench({ languages: ['javascript'] });

const REPORTS =
  'const told = (error) => console.log(error.name, error.code, error.message, error.cause);\nconst signal = AbortSignal.abort("why");';

/** What Node prints outside of a sandbox. */
async function printedByNode(code: string): Promise<string> {
  const args = ['--input-type=module', '-e', code];
  return (await promisify(execFile)(process.execPath, args)).stdout;
}

it.each([
  'import { setTimeout as later, setImmediate as soon } from "node:timers/promises";\nconsole.log(await later(1, "a"), await later(), await soon("b"), await later(1, Promise.resolve("c"), { ref: true }));',
  'import { setInterval as every } from "timers/promises";\nlet n = 0;\nfor await (const value of every(1, "v")) { console.log(value); if ((n += 1) === 3) break; }',
  'import { scheduler } from "timers/promises";\nconsole.log(await scheduler.wait(1), await scheduler.yield());\ntry { await scheduler.wait.call({}, 1); } catch (error) { console.log(error.code); }',
  'import { promisify } from "node:util";\nconsole.log(await promisify(setTimeout)(1, "a"), await promisify(setImmediate)("b"));',
  'import timers, { promises, setTimeout as later } from "node:timers";\nimport own from "timers/promises";\nconsole.log(promises === own, timers.setTimeout === setTimeout, later === setTimeout, own.setTimeout.name, own.setInterval.name, timers.setImmediate.name);',
  `import { setTimeout as later, setImmediate as soon, setInterval as every } from "timers/promises";\n${REPORTS}
for (const wait of [() => later(1, 2, { signal }), () => soon(2, { signal }), () => every(1, 2, { signal }).next(), () => later("1"), () => later(1, 2, null), () => later(1, 2, []), () => soon(2, 3), () => later(1, 2, { ref: 1 }), () => soon(2, { signal: 1 }), () => later(1, 2, { signal: null }), () => every(1, 2, { ref: 1 }).next()]) {
  let promise;
  try { promise = wait(); } catch { console.log("thrown at once"); }
  await promise.catch(told);
}`,
  `import { setTimeout as later, setInterval as every } from "timers/promises";\n${REPORTS}
const stop = new AbortController();
setTimeout(() => stop.abort("late"), 5);
await later(1e6, 2, stop).catch(told);
const again = new AbortController();
setTimeout(() => again.abort("late"), 5);
try { for await (const value of every(1e6, 1, again)); } catch (error) { told(error); }`,
  'import { setTimeout as later } from "timers/promises";\nlater(1e6, 1, { ref: false }).then(console.log);\nsetTimeout(() => console.log("end"), 1);',
  'const timer = setTimeout(() => console.log("again"), 1);\nconsole.log(timer.refresh() === timer, timer.unref() === timer, timer.hasRef(), timer.ref() === timer, timer.hasRef(), timer.refresh.name);\nconst ended = setTimeout(() => console.log("never"), 1);\nconsole.log(ended.close() === ended);',
  'const controller = AbortSignal.timeout(1);\ncontroller.onabort = () => console.log(controller.reason.name);\nawait new Promise((resolve) => setTimeout(resolve, 20));\nconsole.log(AbortSignal.timeout.name);',
  `import { once, EventEmitter } from "node:events";\nimport { setTimeout as later } from "timers/promises";\nimport { Readable } from "node:stream";
const { timeout } = AbortSignal;
const told = ({ name, code, cause }) => console.log(name, code, cause?.name, cause?.message);
const hold = setTimeout(() => {}, 1e6);
await once(new EventEmitter(), "none", { signal: timeout(1) }).catch(told);
await later(1e6, 1, { signal: AbortSignal.any([timeout(1), timeout(1e6)]) }).catch(told);
await new Promise((done) => new Readable({ read() {}, signal: timeout(1) }).on("error", (error) => done(told(error))));
const signal = timeout(2 ** 31);
await once(signal, "abort");
try { signal.throwIfAborted(); } catch (error) { console.log(error.name, error.code, error.message); }
clearTimeout(hold);
for (const value of [undefined, null, "1", 1.5, -1, -0, NaN, 2 ** 32, 2 ** 32 - 1, Symbol(), {}]) try { console.log(timeout(value)); } catch (error) { console.log(error.name, error.code, error.message); }
console.log(Object.getOwnPropertyDescriptor(AbortSignal, "timeout"), timeout.length, signal instanceof AbortSignal, signal.constructor === AbortSignal);`,
  'AbortSignal.timeout(1e6).onabort = console.log;\nconsole.log("end");',
  'setTimeout(() => console.log(1), { valueOf: () => 1 });\ntry { setTimeout(() => {}, Symbol()); } catch (error) { console.log(error.name); }\ntry { setTimeout(1, 1); } catch (error) { console.log(error.code); }',
])('timers of Node do in a program what they do in Node: %s', async (code) => {
  const result = await run(code);
  expect(result).toMatchObject({ status: 'ok', stdout: await printedByNode(code) });
});
