import { SerialQueue } from '../../shared/async/serial-queue.ts';
import { PtcError } from '../../shared/errors.ts';
import type { Session } from '../../sessions/executor.ts';
import { shownPath } from './file-text.ts';
import { nextTime, type InputFiles } from './input-files.ts';
import { INPUTS_DIRECTORY, type InputFile } from './input-file.ts';

const NEVER = new AbortController().signal;

/** What a sandbox has of the files of its conversation. */
interface Place {
  /** One user of the session writes at a time. */
  readonly queue: SerialQueue;
  /** By name. */
  readonly settled: Map<string, SettledFile>;
}

/** A file that was written, or whose bytes are gone. */
interface SettledFile {
  readonly sha256: string;
  /** When it was settled. One that is given later is written, also with the same bytes. */
  readonly at: number;
  /** Those that do not have its bytes, so that it was not written. Another conversation may have them. */
  readonly missingIn: InputFiles | undefined;
}

/** By `Session.closing`, which each sandbox has its own: all users of a session share it. */
const places: WeakMap<Session['closing'], Place> = new WeakMap();

/**
 * Writes the files of a conversation that the session's sandbox does not have yet.
 * @returns Sentences for the model about those that could not be written.
 * @throws PtcError as `SessionFiles.write` if the session has ended, and as `InputFiles.bytesOf`.
 */
export async function placeFiles(
  files: InputFiles | undefined,
  session: Session,
  signal: AbortSignal = NEVER,
): Promise<readonly string[]> {
  if (files === undefined || files.list.length === 0) return [];
  const place = places.get(session.closing) ?? { queue: new SerialQueue(), settled: new Map() };
  places.set(session.closing, place);
  return place.queue.add(async () => {
    const listed = new Set(files.list.map(({ name }) => name));
    const { settled } = place;
    for (const name of settled.keys()) if (!listed.has(name)) settled.delete(name);
    const problems: string[] = [];
    for (const file of files.list) {
      const { name, sha256 } = file;
      if (isSettled(file, files, settled.get(name))) continue;
      // If this is aborted, it is not known which of the two is there.
      settled.delete(name);
      const at = nextTime();
      const problem = await writeFile(file, { files, session, signal });
      if (problem !== undefined) problems.push(problem.text);
      if (problem?.isTemporary === true) continue;
      settled.set(name, { sha256, at, missingIn: problem === undefined ? undefined : files });
    }
    return problems;
  }, signal);
}

/** Whether a file was written, or the model was told that it is gone, since it was last given. */
function isSettled(file: InputFile, files: InputFiles, settled: SettledFile | undefined): boolean {
  if (settled?.sha256 !== file.sha256 || settled.at < files.givenAt(file)) return false;
  return settled.missingIn === undefined || settled.missingIn === files;
}

/** Why a file could not be written; undefined if it is there. */
async function writeFile(
  file: InputFile,
  {
    files,
    session,
    signal,
  }: { readonly files: InputFiles; readonly session: Session; readonly signal: AbortSignal },
): Promise<{ readonly text: string; readonly isTemporary: boolean } | undefined> {
  const path = shownPath(file);
  const bytes = await files.bytesOf(file, signal);
  if (bytes === undefined) {
    const text = `The file ${path} is gone. Ask the user to give it again if you need it.`;
    return { text, isTemporary: false };
  }
  try {
    await session.files.write(`${INPUTS_DIRECTORY}/${file.name}`, bytes, { signal });
    return undefined;
  } catch (error) {
    if (!PtcError.isInstance(error) || error.code !== 'FILE_FAILED') throw error;
    return { text: whyNotWritten(path, error), isTemporary: true };
  }
}

function whyNotWritten(path: string, { details, message }: PtcError): string {
  return details['errno'] === 'ENOSPC'
    ? `The file ${path} is not there, because /tmp is full. Remove files that you no longer need: it is written before the next program.`
    : `The file ${path} is not there: ${message}`;
}
