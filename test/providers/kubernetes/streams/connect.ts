import type { OpenChannel } from '../../../../src/providers/kubernetes/streams/channel.ts';
import { ResumableStreams } from '../../../../src/providers/kubernetes/streams/resumable-streams.ts';
import { createDeferred } from '../../../../src/shared/async/deferred.ts';
import type { PtcError } from '../../../../src/shared/errors.ts';

/** A runner that answers each line. */
export const ANSWER = `
import sys
for line in sys.stdin:
    sys.stdout.write(f"answer {line.strip()}\\n")
`;

/** How a test connects, and how the streams end. */
export function optionsFor(
  open: OpenChannel,
  { epoch = 1, patienceMs = 60_000 } = {},
): {
  options: Parameters<typeof ResumableStreams.connect>[0];
  end: Promise<PtcError | undefined>;
} {
  const ended = createDeferred<PtcError | undefined>();
  const onEnd = (error: PtcError | undefined): void => ended.resolve(error);
  return { options: { open, epoch, patienceMs, onEnd }, end: ended.promise };
}

/** Connects as a host does. */
export async function connect(
  open: OpenChannel,
  how: { epoch?: number; patienceMs?: number; readsError?: boolean } = {},
): Promise<{ streams: ResumableStreams; end: Promise<PtcError | undefined> }> {
  const { options: all, end } = optionsFor(open, how);
  const streams = await ResumableStreams.connect(all);
  if (how.readsError !== true) streams.stderr.resume();
  return { streams, end };
}
