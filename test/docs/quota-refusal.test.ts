import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { PtcError } from '../../src/shared/errors.ts';
import { converse, runs, says } from '../orchestrator/support.ts';
import { blocksOf } from './snippets/blocks.ts';

/** The code of docs/servers.md, as a function of what it uses. */
function handlerOfPage(): (...given: readonly unknown[]) => Promise<void> {
  const block = blocksOf('docs/servers.md').find(({ text }) => text.includes("'QUOTA_EXCEEDED'"));
  const code = block?.text.replace(/^import .*$/gm, '') ?? 'throw new Error("not found")';
  const names = ['once', 'PtcError', 'orchestrator', 'question', 'signal', 'response'].join(', ');
  // oxlint-disable-next-line typescript/no-implied-eval -- the code of a page is not a module
  return new Function(`return async (${names}) => {${code}}`)() as ReturnType<typeof handlerOfPage>;
}

it('a quota that is reached during an answer is told in its stream, as docs/servers.md shows', async () => {
  const program = [...says('One moment.'), ...runs('print(1)')];
  const { orchestrator } = converse([program, program, says('Done.')], {
    executor: { fairBy: 'user', quotas: { programsPerMinute: 1 } },
    labels: { user: 'dana' },
  });
  const handle = handlerOfPage();
  const { signal } = new AbortController();
  const answer = async (response: ServerResponse): Promise<void> =>
    handle(once, PtcError, orchestrator, 'What is new?', signal, response);
  const failures: unknown[] = [];
  const server = createServer((_request, response) => {
    answer(response).catch((error: unknown) => {
      failures.push(error);
      response.destroy();
    });
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const reply = await fetch(`http://127.0.0.1:${port}`).catch((error: unknown) => error);
  expect(failures).toEqual([]);
  const { status, headers } = reply as Response;
  expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const text = await (reply as Response).text();
  const events = text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.replace('data: ', '')) as { readonly type: string });
  expect(new Set(events.map(({ type }) => type))).toEqual(
    new Set(['text-delta', 'quota-exceeded']),
  );
  expect(events.at(-1)).toEqual({
    type: 'quota-exceeded',
    quota: 'programsPerMinute',
    retryAfterMs: expect.any(Number),
  });
});

it('the code of docs/servers.md waits for a reader who takes no more', async () => {
  let events = 0;
  async function* stream(): AsyncGenerator {
    while (events < 2) {
      events += 1;
      yield { type: 'text-delta', text: 'One moment.' };
    }
  }
  const methods = { writeHead: () => {}, write: () => false, end: () => {} };
  const response = Object.assign(new EventEmitter(), methods);
  const { signal } = new AbortController();
  const answered = handlerOfPage()(once, PtcError, { stream }, 'What is new?', signal, response);
  await new Promise((resolve) => setImmediate(resolve));
  expect(events).toBe(1);
  response.emit('drain');
  await new Promise((resolve) => setImmediate(resolve));
  expect(events).toBe(2);
  response.emit('drain');
  await expect(answered).resolves.toBeUndefined();
});
