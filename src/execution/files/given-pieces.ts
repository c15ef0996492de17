import { unlessAborted } from '../../shared/async/abort.ts';
import { inBackground } from '../../shared/async/background.ts';
import type { Piece } from './content-pieces.ts';
import type { FileSandbox } from './file-requests.ts';

const WORK = 'The work on files';

/**
 * The pieces of content for a sandbox. A stream may stall for ever, so each piece of it is waited for only
 * until the signal fires or the sandbox ends: then there is one empty piece, for which the request tells why.
 * @throws PtcError `ABORTED` if the signal fires.
 */
export async function* givenPieces(
  pieces: Iterable<Piece> | AsyncIterable<Piece>,
  { ended }: FileSandbox,
  signal: AbortSignal | undefined,
): AsyncGenerator<Piece, void> {
  if (!(Symbol.asyncIterator in pieces)) {
    yield* pieces;
    return;
  }
  const source = pieces[Symbol.asyncIterator]();
  let isDone = false;
  try {
    while (!isDone) {
      const next = unlessAborted(source.next(), signal, WORK);
      const given = await unlessAborted(next, ended, WORK).catch((error: unknown) => {
        if (!ended.aborted || signal?.aborted) throw error;
        return undefined;
      });
      if (given?.done) isDone = true;
      else yield given?.value ?? NOTHING;
    }
  } finally {
    // Not awaited, because a source that stalls would hold this up.
    if (!isDone) inBackground(source.return?.());
  }
}

const NOTHING: Piece = { bytes: new Uint8Array(), isLast: false };
