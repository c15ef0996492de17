import { afterEach, expect, it, vi } from 'vitest';
import { createDeferred } from '../../../src/shared/async/deferred.ts';

interface Link {
  print(bytes: Uint8Array): void;
  send(line: Uint8Array): void;
}

const runnerFile = (name: string): string =>
  String(new URL(`../../../runner/embedded/${name}`, import.meta.url));
const { Guest } = (await import(runnerFile('guest.mjs'))) as {
  readonly Guest: new (script: string, listener: object) => { takeOutput(): Uint8Array[] };
};
const { SupervisorLink } = (await import(runnerFile('link.mjs'))) as {
  readonly SupervisorLink: new (memory: object) => Link;
};

afterEach(() => vi.unstubAllGlobals());

it('tells what was printed before a line before it tells the line', async () => {
  let link: Link | undefined;
  let guest: InstanceType<typeof Guest> | undefined;
  // The other end of the memory, without its thread.
  class FakeWorker {
    addEventListener(): void {}
    postMessage(part: { readonly link: object }): void {
      link = new SupervisorLink(part.link);
    }
  }
  vi.stubGlobal('Worker', FakeWorker);
  const told: string[] = [];
  const isTold = createDeferred<undefined>();
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  let looks = 0;
  guest = new Guest('', {
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
  });
  link?.print(new Uint8Array([0x2e]));
  await isTold.promise;
  expect(told).toEqual(['.', 'printed', 'call\n']);
});
