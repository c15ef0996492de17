import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { createDeferred } from '../../../src/shared/async/deferred.ts';

interface Link {
  print(bytes: Uint8Array): void;
  send(line: Uint8Array): void;
  receive(): Uint8Array;
}

interface Guest {
  takeOutput(): Uint8Array[];
  send(line: Uint8Array): void;
  dropResults(): void;
}

const runnerFile = (name: string): string =>
  String(new URL(`../../../runner/embedded/${name}`, import.meta.url));
const { Guest } = (await import(runnerFile('guest.mjs'))) as {
  readonly Guest: new (script: string, listener: object) => Guest;
};
const { SupervisorLink } = (await import(runnerFile('link.mjs'))) as {
  readonly SupervisorLink: new (memory: object) => Link;
};

afterEach(() => vi.unstubAllGlobals());

/** A guest, and the other end of its memory without its thread. */
function start(listener: object): { readonly guest: Guest; readonly link: Link } {
  let link: Link | undefined;
  class FakeWorker {
    addEventListener(): void {}
    postMessage(part: { readonly link: object }): void {
      link = new SupervisorLink(part.link);
    }
  }
  vi.stubGlobal('Worker', FakeWorker);
  const guest = new Guest('', listener);
  if (link === undefined) throw new Error('The guest has no memory.');
  return { guest, link };
}

it('tells what was printed before a line before it tells the line', async () => {
  let guest: Guest | undefined;
  const told: string[] = [];
  const isTold = createDeferred<undefined>();
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  let looks = 0;
  let link: Link | undefined;
  ({ guest, link } = start({
    output() {
      const [printed] = guest?.takeOutput() ?? [];
      if (printed?.length) told.push(text(printed));
      looks += 1;
      // The guest prints and calls right after it was looked at what it printed.
      if (looks === 2) {
        link?.print(new TextEncoder().encode('printed'));
        link?.send(new TextEncoder().encode('call\n'));
      }
    },
    line(line: Uint8Array) {
      told.push(text(line));
      isTold.resolve(undefined);
    },
    fail: (error: unknown) => isTold.reject(error),
  }));
  link.print(new Uint8Array([0x2e]));
  await isTold.promise;
  expect(told).toEqual(['.', 'printed', 'call\n']);
});

it('sends no results of tools that wait to be sent when their program has ended', async () => {
  const failure = createDeferred<never>();
  const { guest, link } = start({
    output() {},
    fail: (error: unknown) => failure.reject(error),
  });
  const result = (content: string): string =>
    `__PTC_TOOL_RESULT__{"result":"${content}"}__PTC_END_RESULT__\n`;
  // More than the memory for messages takes at once.
  const begun = result('a'.repeat(3_000_000));
  const other = '__PTC_CANCEL__{}__PTC_END_CANCEL__\n';
  for (const line of [begun, result('b'), other, result('c')]) guest.send(Buffer.from(line));
  guest.dropResults();
  const expected = begun + other + other;
  guest.send(Buffer.from(other));
  let received = '';
  const receive = async (): Promise<void> => {
    while (received.length < expected.length) {
      received += Buffer.from(link.receive()).toString();
      await nextTurn();
    }
  };
  await Promise.race([receive(), failure.promise]);
  expect(received === expected).toBe(true);
  expect(link.receive()).toHaveLength(0);
});
