import { expect, it } from 'vitest';
import type { Platform } from '../../../runner/javascript/platform.d.ts';

interface Modules {
  readonly Guest: new (platform: Platform) => { onLine(line: string): void };
  readonly EXECUTE: unknown;
  encode(this: void, marker: unknown, body: object): string;
}

const load = async (name: string): Promise<Modules> =>
  import(String(new URL(`../../../runner/javascript/${name}`, import.meta.url)));
const { Guest } = await load('guest.mjs');
const { encode, EXECUTE } = await load('frames.mjs');

// No real interrupt can be sent at exactly this moment, so a platform stands in that cuts off what it is to enter.
it('a run whose end an interrupt cuts off is told all the same, and the next line is waited for', () => {
  const sent: string[] = [];
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
    evaluate: () => async () => new Promise(() => {}),
    awaitLine: (value: boolean) => (isAwaited = value),
    onStatementsDone: () => {},
    isListening: () => false,
    tellIdle: () => false,
    afterFiles: (callback: () => void) => callback(),
    inspect: String,
    warn: () => {},
    offer: () => false,
    tellExit: () => {},
    exitStatus: () => 0,
    release: () => {
      releases.push(isEntered);
      return [];
    },
    prepare: () => {},
    compileProgram: () => ({ names: [], functions: '', main: '' }),
  });
  const program = { execution_id: 'e', code: 'await never', language: 'javascript' };
  guest.onLine(encode(EXECUTE, program).trimEnd());
  expect(isAwaited).toBe(false);
  // That which the line needs, and the end of the run.
  cuts = 2;
  guest.onLine('');
  expect(sent).toEqual([expect.stringContaining('"execution_id":"e"')]);
  expect(isAwaited).toBe(true);
  // It may run code of the program's, which has to be interruptible.
  expect(releases).toEqual([true]);
});
