import type { Readable } from 'node:stream';
import { hasMethod } from '../../shared/guards.ts';
import type { FileContent } from '../../tools/session-files.ts';

/**
 * Does work that reads content, perhaps later, such as when a session has been opened. A stream of Node
 * that fails before anybody reads it would end the process, and a stream that nobody reads keeps its file
 * or connection open. So its error is kept for whoever reads it, and it is closed if the work fails.
 * @param work - Gets the content, which it must read instead of the one that was given.
 */
export async function withContent<Result>(
  content: FileContent,
  work: (content: FileContent) => Promise<Result>,
): Promise<Result> {
  if (isWebStream(content)) return withWebStream(content, work);
  const stream = isNodeStream(content) ? content : undefined;
  stream?.on('error', () => {});
  try {
    return await work(content);
  } catch (error) {
    stream?.destroy();
    throw error;
  }
}

/** A reader can also end a read that stalls, for which the stream's own iterator would wait. */
async function withWebStream<Result>(
  stream: WebStream,
  work: (content: FileContent) => Promise<Result>,
): Promise<Result> {
  const reader = stream.getReader();
  try {
    return await work(partsOf(reader));
  } catch (error) {
    // It may have failed itself, as the error tells then.
    reader.cancel(error).catch(() => {});
    throw error;
  } finally {
    reader.releaseLock();
  }
}

type WebStream = ReadableStream<string | Uint8Array>;

async function* partsOf(
  reader: ReadableStreamDefaultReader<string | Uint8Array>,
): AsyncGenerator<string | Uint8Array, void> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

function isWebStream(content: unknown): content is WebStream {
  return hasMethod(content, 'getReader') && hasMethod(content, 'cancel');
}

function isNodeStream(content: unknown): content is Readable {
  return hasMethod(content, 'on') && hasMethod(content, 'destroy');
}
