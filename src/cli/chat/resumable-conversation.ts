import { access, constants, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ModelMessage } from '../../models/language-model.ts';
import { ConversationFile } from '../../orchestrator/store/file/conversation-file.ts';
import type {
  StoreAppendOptions,
  ConversationHold,
  ConversationStore,
  StoreKeepFilesOptions,
  StoreLoadFileOptions,
  StoreLoadOptions,
  StoreSaveFileOptions,
  StoredEntry,
} from '../../orchestrator/store/conversation-store.ts';
import { readEntries } from '../../orchestrator/store/read-entries.ts';
import { StoredConversation } from '../../orchestrator/store/stored-conversation.ts';
import { filesPath, StoredFiles } from '../../orchestrator/store/stored-files.ts';
import { messageOf } from '../../shared/errors.ts';
import { UsageError } from '../failure.ts';
import { showProgress } from '../progress.ts';
import { colorsFor } from '../terminal/terminal.ts';
import { formatCount } from '../view/format.ts';
import { headerLine } from '../view/header.ts';

/** How much of the last question and of its answer is shown, in characters. */
const SHOWN_LENGTH = 300;

/** A conversation in the file of `--resume`. No other process can use it until it is disposed. */
export class ResumableConversation implements ConversationStore, AsyncDisposable {
  readonly #name: string;
  readonly #file: ConversationFile;
  readonly #files: StoredFiles;
  readonly #hold: ConversationHold;
  /** The conversation as it was when the file was opened. */
  readonly #earlier: StoredConversation;

  private constructor(
    name: string,
    file: ConversationFile,
    files: StoredFiles,
    hold: ConversationHold,
    earlier: StoredConversation,
  ) {
    this.#name = name;
    this.#file = file;
    this.#files = files;
    this.#hold = hold;
    this.#earlier = earlier;
  }

  /**
   * Reads the conversation, if the file exists, as soon as no other process uses it.
   * @throws UsageError if the file cannot be used, or the signal's reason.
   */
  static async open(name: string, signal: AbortSignal): Promise<ResumableConversation> {
    const full = await usablePath(name);
    const file = new ConversationFile(full);
    const files = new StoredFiles(filesPath(full));
    if (await file.isHeld()) {
      showProgress(
        `${name} is in use by another process. Waiting until it ends. Press Ctrl-C to exit.`,
      );
    }
    const hold = await file.hold(signal);
    try {
      return new ResumableConversation(name, file, files, hold, await read(file));
    } catch (cause) {
      await hold.release();
      throw new UsageError(`--resume ${name}: ${messageOf(cause)}`, { cause });
    }
  }

  /** Lines that summarize the earlier conversation. */
  get recall(): string {
    const { messages, isRunOpen } = this.#earlier;
    // The files of a question, and notes such as a summary, are further texts of its message.
    const questions = messages.filter((message) => textsOf([message], 'user').length > 0);
    const last = questions.at(-1);
    if (last === undefined) return headerLine('File', `${this.#name}, with no question yet`);
    const asked = textsOf([last], 'user').at(-1) ?? '';
    const since = messages.lastIndexOf(last);
    const answer = textsOf(messages.slice(since), 'assistant').at(-1) ?? 'none';
    const count = `${formatCount(questions.length)} question${questions.length === 1 ? '' : 's'}`;
    const lines = [
      headerLine('Resumed', `${this.#name}, ${count} so far`),
      headerLine('Asked', startOf(asked)),
      headerLine('Answer', startOf(answer)),
    ];
    if (isRunOpen) {
      const note =
        'The process ended before this answer was complete. The model is told which tool calls were made.';
      lines.push(`${colorsFor(process.stdout).yellow(note)}\n`);
    }
    return lines.join('');
  }

  async load({ after }: StoreLoadOptions): Promise<readonly StoredEntry[]> {
    return this.#file.load(after);
  }

  async append({ key, entries, after }: StoreAppendOptions): Promise<void> {
    await this.#file.append(key, entries, after);
  }

  async saveFile({ sha256, data }: StoreSaveFileOptions): Promise<void> {
    await this.#files.save(sha256, data);
  }

  async loadFile({ sha256 }: StoreLoadFileOptions): Promise<Uint8Array | undefined> {
    return this.#files.load(sha256);
  }

  async keepFiles({ kept }: StoreKeepFilesOptions): Promise<void> {
    await this.#files.keep(kept);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#hold.release();
  }
}

/**
 * Checks that a file can be read and written, or created, and returns its path.
 * @throws UsageError.
 */
async function usablePath(name: string): Promise<string> {
  const full = path.resolve(name);
  try {
    const found = await realpath(full).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (found === undefined) {
      await access(path.dirname(full), constants.W_OK);
      return full;
    }
    if (!(await stat(found)).isFile())
      throw new Error('it is a directory or a device, not a file.');
    await access(found, constants.R_OK | constants.W_OK);
    return found;
  } catch (cause) {
    throw new UsageError(`--resume ${name} cannot be used: ${messageOf(cause)}`, { cause });
  }
}

/** @throws PtcError `CONVERSATION_INVALID`, or the file system's error. */
async function read(file: ConversationFile): Promise<StoredConversation> {
  const stored = new StoredConversation();
  for (const entry of await readEntries(await file.load(0), 0)) {
    if (entry !== null) stored.add(entry);
  }
  await stored.check();
  return stored;
}

/** The texts of all messages with a role. */
function textsOf(messages: readonly ModelMessage[], who: ModelMessage['role']): string[] {
  return messages.flatMap(({ role, content }) =>
    content.flatMap((block) => (role === who && block.type === 'text' ? [block.text] : [])),
  );
}

function startOf(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length > SHOWN_LENGTH ? `${line.slice(0, SHOWN_LENGTH)}…` : line;
}
