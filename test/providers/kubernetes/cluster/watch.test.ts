import { expect, it } from 'vitest';
import { changesOf } from '../../../../src/providers/kubernetes/cluster/watch.ts';
import { type Answer, object, refusal, scriptedServer } from './scripted-server.ts';

const LIST = '/api/v1/namespaces/agents/pods';

function pod(version: string): object {
  return { metadata: { name: 'a', resourceVersion: version } };
}

/** Sends the text as the body of an answer that goes on, and then closes the connection, or ends the body. */
function changes(text: string, end: 'closes' | 'ends' = 'ends'): Answer {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(text, () => {
      if (end === 'ends') response.end();
      else response.socket?.destroy();
    });
  };
}

function event(type: string, value: object): string {
  return `${JSON.stringify({ type, object: value })}\n`;
}

const deleted = changes(event('DELETED', pod('9')));

/** The versions of the object that a watch yields until it is gone. */
async function versionsIn(answers: readonly Answer[]): Promise<[unknown[], readonly string[]]> {
  const { cluster, requests } = await scriptedServer({ answers });
  const versions: unknown[] = [];
  const signal = AbortSignal.timeout(250_000);
  for await (const one of changesOf(cluster, { list: LIST, name: 'a' }, signal)) {
    versions.push((one as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
  }
  return [versions, requests.map((request) => /resourceVersion=(\d+)/.exec(request)?.[1] ?? 'GET')];
}

it('reads the object again if the API server no longer knows its version', async () => {
  const gone = {
    kind: 'Status',
    code: 410,
    reason: 'Expired',
    message: 'too old resource version',
  };
  expect(
    await versionsIn([object(pod('1')), changes(event('ERROR', gone)), object(pod('5')), deleted]),
  ).toEqual([
    ['1', '5'],
    ['GET', '1', 'GET', '5'],
  ]);
});

it('reads it again if the watch itself is refused with 410', async () => {
  const gone = refusal(410, 'Expired', 'too old resource version');
  expect(await versionsIn([object(pod('1')), gone, object(pod('5')), deleted])).toEqual([
    ['1', '5'],
    ['GET', '1', 'GET', '5'],
  ]);
});

it('reads it again if the connection is cut within an event', async () => {
  const text = event('MODIFIED', pod('2'));
  const cut = changes(text + text.slice(0, 20), 'closes');
  const [versions] = await versionsIn([object(pod('1')), cut, object(pod('3')), deleted]);
  // Whether the event before the cut is seen depends on when the cut is.
  expect(versions.filter((version) => version !== '2')).toEqual(['1', '3']);
});

it('skips what only says how far the API server is', async () => {
  const text =
    event('BOOKMARK', pod('4')) + event('MODIFIED', pod('5')) + event('DELETED', pod('6'));
  const [versions] = await versionsIn([object(pod('1')), changes(text)]);
  expect(versions).toEqual(['1', '5']);
});

it('ends if the object is gone', async () => {
  const [versions] = await versionsIn([refusal(404, 'NotFound', 'pods "a" not found')]);
  expect(versions).toEqual([]);
});

it('ends with the refusal if this process may not watch', async () => {
  const message = 'pods is forbidden: User "host" cannot watch resource "pods"';
  const answers = [object(pod('1')), refusal(403, 'Forbidden', message)];
  await expect(versionsIn(answers)).rejects.toMatchObject({ reason: 'Forbidden', answer: message });
});

it('goes on if an API server that starts again forbids for a moment what it allowed before', async () => {
  const starting = refusal(403, 'Forbidden', 'pods "a" is forbidden: informers not synced');
  const answers = [object(pod('1')), changes('', 'closes'), starting, object(pod('2')), deleted];
  const [versions] = await versionsIn(answers);
  expect(versions).toEqual(['1', '2']);
});
