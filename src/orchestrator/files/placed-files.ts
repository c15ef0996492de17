import { SerialQueue } from '../../shared/async/serial-queue.ts';
import { PtcError } from '../../shared/errors.ts';
import type { Session } from '../../sessions/executor.ts';
import { shownPath } from './file-text.ts';
import type { InputFiles } from './input-files.ts';
import { INPUTS_DIRECTORY, type InputFile } from './input-file.ts';

const NEVER = new AbortController().signal;

/** Writes the files of a conversation into the sandboxes of its session. */
export class PlacedFiles {
  readonly #files: InputFiles;
  readonly #queue: SerialQueue = new SerialQueue();
  /** The sandbox in which files were written last. */
  #stateId: string | undefined;
  /** The digests of the files there, by name. */
  #there: ReadonlyMap<string, string> = new Map();

  constructor(files: InputFiles) {
    this.#files = files;
  }

  /**
   * Writes the files that the session's sandbox does not have yet.
   * @returns Sentences for the model about those that could not be written.
   * @throws PtcError as `SessionFiles.write` if the session has ended, and as `InputFiles.bytesOf`.
   */
  async place(session: Session, signal: AbortSignal = NEVER): Promise<readonly string[]> {
    if (this.#files.list.length === 0) return [];
    return this.#queue.add(async () => this.#place(session, signal), signal);
  }

  async #place(session: Session, signal: AbortSignal): Promise<readonly string[]> {
    const { stateId } = session;
    const before = stateId === this.#stateId ? this.#there : new Map<string, string>();
    const there = new Map<string, string>();
    const problems: string[] = [];
    for (const file of this.#files.list) {
      const { name, sha256 } = file;
      const problem =
        before.get(name) === sha256 ? undefined : await this.#write(file, session, signal);
      if (problem !== undefined) problems.push(problem.text);
      if (problem?.isTemporary !== true) there.set(name, sha256);
    }
    this.#stateId = stateId;
    this.#there = there;
    return problems;
  }

  async #write(
    file: InputFile,
    session: Session,
    signal: AbortSignal,
  ): Promise<{ readonly text: string; readonly isTemporary: boolean } | undefined> {
    const path = shownPath(file);
    const bytes = await this.#files.bytesOf(file, signal);
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
}

function whyNotWritten(path: string, { details, message }: PtcError): string {
  return details['errno'] === 'ENOSPC'
    ? `The file ${path} is not there, because /tmp is full. Remove files that you no longer need: it is written before the next program.`
    : `The file ${path} is not there: ${message}`;
}
