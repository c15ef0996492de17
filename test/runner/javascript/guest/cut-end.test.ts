import { expect, it } from 'vitest';
import type { Platform, WaitingPlatform } from '../../../../runner/javascript/guest/platform.d.ts';

interface Modules {
  readonly Guest: new (platform: Platform) => { onLine(line: string): void };
  readonly CONFIGURE: unknown;
  readonly EXECUTE: unknown;
  readonly WaitTeller: new (platform: WaitingPlatform) => Platform['waitTeller'];
  encode(this: void, marker: unknown, body: object): string;
}

const load = async (name: string): Promise<Modules> =>
  import(String(new URL(`../../../../runner/javascript/${name}`, import.meta.url)));
const { Guest } = await load('guest/guest.mjs');
const { WaitTeller } = await load('guest/messages/wait-teller.mjs');
const { CONFIGURE, encode, EXECUTE } = await load('guest/messages/frames.mjs');

// No real interrupt can be sent at exactly these moments, so a platform stands in that cuts off what it is to enter.
it.each([2, 3])('ends a program whose end is cut off, also if %i entries are', async (entries) => {
  const sent: string[] = [];
  const warnings: string[] = [];
  let isAwaited = true;
  let cuts = 0;
  let isEntered = false;
  const releases: boolean[] = [];
  const guest = new Guest({
    send: (line: string) => sent.push(line),
    enter: (callback: () => void) => {
      if (cuts > 0) {
        cuts -= 1;
        return false;
      }
      isEntered = true;
      callback();
      isEntered = false;
      return true;
    },
    evaluate: () => async () => void Reflect.get(globalThis, 'wait')(),
    waitTeller: new WaitTeller({ send: () => {}, afterJobs: () => {}, waits: () => true }),
    awaitLine: (value: boolean) => (isAwaited = value),
    onStatementsDone: () => {},
    isListening: () => false,
    tellIdle: () => false,
    afterLeftWork: (callback: () => void) => callback(),
    inspect: String,
    warn: (text: string) => warnings.push(text),
    offer: () => false,
    tellExit: () => {},
    exitStatus: () => 0,
    release: (left: string[]) => {
      releases.push(isEntered);
      left.push('an interval');
    },
    uninterrupted: (callback: () => void) => callback(),
    prepare: () => {},
    compileProgram: () => ({ names: [], functions: '', main: '' }),
  });
  const tools = [{ name: 'wait', identifier: 'wait' }];
  const settings = { tools, call_limit_bytes: 1000, call_limit_values: 10 };
  guest.onLine(encode(CONFIGURE, settings).trimEnd());
  const program = { execution_id: 'e', code: 'wait(); setInterval(f)', language: 'javascript' };
  guest.onLine(encode(EXECUTE, program).trimEnd());
  expect(sent.splice(0)).toEqual([expect.stringContaining('"tool_name":"wait"')]);
  isAwaited = false;
  // All promises are settled then: the statements of the program are done.
  await new Promise(setImmediate);
  // The entry for the line is cut off, and so are those that end the program.
  cuts = entries;
  guest.onLine('');
  expect(sent).toEqual([expect.stringContaining('"execution_id":"e"')]);
  expect(isAwaited).toBe(true);
  // It may run code of the program, which has to be interruptible.
  expect(releases).toEqual([true]);
  expect(warnings).toEqual([
    expect.stringContaining('it still waited for: an interval, a tool call\n'),
  ]);
});
