import { constants, type Stats } from 'node:fs';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { LoopPauses } from '../../../shared/async/loop-pauses.ts';
import { UNTRUSTED_PATH } from '../../../shared/files/own-file.ts';
import {
  checkStart,
  endBeforeLastMessages,
  isAboutCall,
  LINE_FEED,
  readFrom,
  wholeLines,
} from './file-lines.ts';

/** What stands for a call that the messages after it describe. Each entry keeps its number. */
const DROPPED = Buffer.from('null\n');

/** The path of the new file until it is whole. A process that was killed may leave it behind. */
export function unfinishedPath(filePath: string): string {
  return `${filePath}.compacting`;
}

/**
 * Replaces the file of a conversation by one without the calls that its last messages describe, if
 * these are more than half of it. At each moment the path leads to the old file or to the whole new
 * one. Nobody else may write to the conversation meanwhile.
 * @param file - The opened file.
 * @param key - As for `ConversationFile`.
 * @returns The size of the file in bytes.
 * @throws the file system's error. The old file is unchanged then.
 */
export async function compactFile(
  filePath: string,
  file: FileHandle,
  key: string | undefined,
): Promise<number> {
  const bytes = await readFrom(file, 0);
  checkStart(bytes, key);
  const kept = await withoutDoneCalls(wholeLines(bytes));
  if (kept.length > bytes.length / 2) return bytes.length;
  await replaceFile(filePath, kept, await file.stat());
  return kept.length;
}

/** Makes sure that a new file is found after a power failure. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function withoutDoneCalls(lines: Buffer): Promise<Buffer> {
  const lastMessages = endBeforeLastMessages(lines);
  const pauses = new LoopPauses();
  const kept: Buffer[] = [];
  let keptUpTo = 0;
  let start = 0;
  while (start < lastMessages) {
    const pause = pauses.next();
    if (pause !== undefined) await pause;
    const end = lines.indexOf(LINE_FEED, start) + 1;
    if (isAboutCall(lines, start)) {
      kept.push(lines.subarray(keptUpTo, start), DROPPED);
      keptUpTo = end;
    }
    start = end;
  }
  return Buffer.concat([...kept, lines.subarray(keptUpTo)]);
}

async function replaceFile(filePath: string, bytes: Buffer, old: Stats): Promise<void> {
  const unfinished = unfinishedPath(filePath);
  await rm(unfinished, { force: true });
  try {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | UNTRUSTED_PATH;
    const file = await open(unfinished, flags, 0o600);
    try {
      const { uid, gid } = await file.stat();
      if (uid !== old.uid || gid !== old.gid) await file.chown(old.uid, old.gid);
      await file.chmod(old.mode & 0o777);
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, filePath);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await syncDirectory(path.dirname(filePath));
}
