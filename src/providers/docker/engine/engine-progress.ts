import { stripVTControlCharacters } from 'node:util';
import type Docker from 'dockerode';
import type { ProgressListener } from '../../../sandbox/sandbox.ts';

const MAX_TAIL_LENGTH = 1000;
const MAX_LINE_LENGTH = 100;

interface ProgressEvent {
  readonly stream?: string;
  readonly error?: string;
}

/**
 * Reads the progress of a pull or a build to its end, and reports each step.
 * @throws the failure, after the last output, because the failure of a build says only that a
 * command failed. The output is without colors, in which engines put what a command writes to its
 * standard error.
 */
export async function followProgress(
  docker: Docker,
  progress: NodeJS.ReadableStream,
  onStep: ProgressListener,
): Promise<void> {
  let tail = '';
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(
      progress,
      (error) => (error ? reject(error) : resolve()),
      ({ stream, error }: ProgressEvent) => {
        if (stream?.startsWith('Step ')) onStep(shorten(stream.trim()));
        tail = (tail + stripVTControlCharacters(stream ?? '')).slice(-MAX_TAIL_LENGTH);
        if (error !== undefined) reject(new Error(`${tail.trim()}\n${shorten(error)}`.trim()));
      },
    );
  });
}

function shorten(line: string): string {
  return line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH - 1)}…` : line;
}
