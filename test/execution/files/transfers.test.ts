import { expect, it } from 'vitest';
import { filesOf, LARGE, pieceOfLarge } from './fake-files.ts';

it.each([
  ['download', 'read'],
  ['upload', 'write'],
] as const)('a %s that is aborted does not wait for a sandbox that is busy', async (_, method) => {
  const { files, sent } = filesOf((message) => {
    if (!('is_first' in message) || !message.is_first) return undefined;
    return message.operation === 'read' ? pieceOfLarge(message) : {};
  });
  const stop = new AbortController();
  const options = { signal: stop.signal };
  const begin = {
    read: async () => files.read('a', options),
    write: async () => files.write('a', new Uint8Array(LARGE), options),
  }[method];
  const work = begin();
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent.length).toBeGreaterThan(1);
  stop.abort();
  await expect(work).rejects.toMatchObject({ code: 'ABORTED' });
});

it('a text has the byte order mark that its file has', async () => {
  const data = Buffer.from('\uFEFFa\n\uFEFFb');
  const { files } = filesOf(() => ({ result: { size: data.length, is_last: true }, data }));
  expect(await files.readText('a')).toBe('\uFEFFa\n\uFEFFb');
  expect(await files.readText('a', { fromLine: 2 })).toBe('\uFEFFb');
});

it('a reader that stops early does not wait for a sandbox that is busy', async () => {
  const { files } = filesOf((message) =>
    message.operation === 'read' && message.is_first ? pieceOfLarge(message) : undefined,
  );
  const stream = files.stream('a');
  await stream.next();
  await expect(stream.return()).resolves.toMatchObject({ done: true });
});
