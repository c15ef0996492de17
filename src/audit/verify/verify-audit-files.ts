import { createReadStream } from 'node:fs';
import { MAXIMUM_LINE_BYTES, type ChainKey } from '../chain.ts';
import { AuditVerifier, type AuditVerification } from './check-lines.ts';

const LINE_FEED = 0x0a;

/**
 * Checks a file, or the files of a series, in the order of their numbers. The file that is being
 * written has no number and comes last: `audit.jsonl.1`, `audit.jsonl.2`, `audit.jsonl`.
 * @throws the file system's own error for a file that cannot be read.
 */
export async function verifyAuditFiles(
  paths: readonly string[],
  key: ChainKey,
): Promise<AuditVerification> {
  const verifier = new AuditVerifier(key);
  for (const path of inOrder(paths)) {
    verifier.beginFile(path);
    await readLines(path, (bytes, ended) => verifier.line(bytes, ended));
  }
  return verifier.finish();
}

function inOrder(paths: readonly string[]): string[] {
  const numberOf = (path: string): number => Number(/\.(\d+)$/.exec(path)?.[1] ?? Infinity);
  return [...paths].sort((left, right) => {
    const [first, second] = [numberOf(left), numberOf(right)];
    return first === second ? 0 : first - second;
  });
}

/** Keeps at most one byte more of a line than the longest line may have. */
async function readLines(
  path: string,
  onLine: (bytes: Buffer, ended: boolean) => void,
): Promise<void> {
  let parts: Buffer[] = [];
  let length = 0;
  const take = (part: Buffer): void => {
    const room = MAXIMUM_LINE_BYTES + 1 - length;
    if (room <= 0 || part.length === 0) return;
    parts.push(part.subarray(0, room));
    length += Math.min(part.length, room);
  };
  const end = (ended: boolean): void => {
    onLine(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts), ended);
    parts = [];
    length = 0;
  };
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let begin = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, begin)) {
      take(chunk.subarray(begin, at));
      end(true);
      begin = at + 1;
    }
    take(chunk.subarray(begin));
  }
  if (length > 0) end(false);
}
