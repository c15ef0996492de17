import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { HostMessage, OutputStream, RunnerMessage } from '../../src/protocol/messages.ts';

/** A frame that host and runners must write and read alike, byte for byte. */
export type GoldenFrame =
  | {
      readonly name: string;
      readonly direction: 'host-to-runner';
      readonly bytes: string;
      readonly message: HostMessage;
    }
  | {
      readonly name: string;
      readonly direction: 'runner-to-host';
      readonly stream: OutputStream;
      readonly bytes: string;
      readonly message: RunnerMessage;
    };

/** The directory of the frames; the Python runner's tests read it too. */
export const GOLDEN_FRAMES_DIRECTORY: string = fileURLToPath(
  new URL('../fixtures/frames/', import.meta.url),
);

export async function readGoldenFrames(): Promise<GoldenFrame[]> {
  const names = (await readdir(GOLDEN_FRAMES_DIRECTORY)).filter((name) => name.endsWith('.json'));
  return Promise.all(
    names.sort().map(async (name) => {
      const frame = JSON.parse(await readFile(GOLDEN_FRAMES_DIRECTORY + name, 'utf8'));
      return { ...frame, message: withBytes(frame.message) };
    }),
  );
}

/** The bytes of a file are text in the fixtures. */
function withBytes(message: { readonly kind: string; readonly data?: string | null }): object {
  const { kind, data } = message;
  const isOfFile = kind.startsWith('file-') && typeof data === 'string';
  return isOfFile ? { ...message, data: Buffer.from(data) } : message;
}
