import type Docker from 'dockerode';
import type { ProgressListener } from '../../sandbox/sandbox.ts';

const MAX_TAIL_LENGTH = 1000;
const MAX_LINE_LENGTH = 100;

interface AccountEvent {
  readonly stream?: string;
  readonly error?: string;
}

/**
 * Reads an engine's account of a pull or a build to its end, and tells of each step.
 * @throws the failure that it ends with, and before it the last that was printed: a build's own
 * failure says only that a command failed.
 */
export async function followAccount(
  docker: Docker,
  account: NodeJS.ReadableStream,
  onStep: ProgressListener,
): Promise<void> {
  let tail = '';
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(
      account,
      (error) => (error ? reject(error) : resolve()),
      ({ stream, error }: AccountEvent) => {
        if (stream?.startsWith('Step ')) onStep(shorten(stream.trim()));
        tail = (tail + (stream ?? '')).slice(-MAX_TAIL_LENGTH);
        if (error !== undefined) reject(new Error(`${tail.trim()}\n${shorten(error)}`.trim()));
      },
    );
  });
}

function shorten(line: string): string {
  return line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH - 1)}…` : line;
}
