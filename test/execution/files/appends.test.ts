import { expect, it } from 'vitest';
import { FILE_PIECE_BYTES } from '../../../src/protocol/frames.ts';
import { PtcError } from '../../../src/shared/errors.ts';
import { answerTo, filesOf, idOf } from './fake-files.ts';

const TWO_PIECES = new Uint8Array(FILE_PIECE_BYTES + 1);
const APPENDED = [FILE_PIECE_BYTES, 1];

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

it('an append that is aborted while it waits for another one adds nothing, and the next one goes on', async () => {
  const { files, requests, sent } = filesOf(() => undefined);
  const sizes = (): number[] =>
    sent.map((message) => ('data' in message ? (message.data?.length ?? 0) : 0));
  const stop = new AbortController();
  const first = files.append('a', TWO_PIECES);
  const aborted = files.append('a', 'never', { signal: stop.signal });
  const next = files.append('a', TWO_PIECES);
  await turn();
  const cause = new Error('enough');
  stop.abort(cause);
  await expect(aborted).rejects.toMatchObject({
    code: 'ABORTED',
    message: 'The work on files was aborted.',
    cause,
  });
  for (let answered = 0; answered < 4; answered += 1) {
    requests.answered(answerTo(idOf(sent[answered])));
    await turn();
  }
  await Promise.all([first, next]);
  expect(sizes()).toEqual([...APPENDED, ...APPENDED]);
});

it('appends that wait for one whose sandbox ends fail as it does', async () => {
  const { files, requests } = filesOf(() => undefined);
  const all = [1, 2, 3].map(async () => files.append('a', TWO_PIECES));
  await turn();
  const lost = new PtcError('SANDBOX_LOST', 'It ended.');
  requests.end(lost);
  for (const one of all) await expect(one).rejects.toBe(lost);
});
