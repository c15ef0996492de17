import { withContent } from '../../execution/files/with-content.ts';
import type { Session } from '../../sessions/executor.ts';
import type {
  FileContent,
  FileEdit,
  FileEntry,
  FileGlobOptions,
  FileGrepOptions,
  FileList,
  FileOptions,
  FileReadOptions,
  FileReadTextOptions,
  FileRemoveOptions,
  FoundLines,
  FoundPaths,
  SessionFiles,
} from '../../tools/session-files.ts';

/** The files of a conversation: those of its session, which is acquired for each request. */
export class ConversationFiles implements SessionFiles {
  readonly #open: (signal: AbortSignal | undefined) => Promise<Session>;

  /** @param open - Acquires the session of the conversation. */
  constructor(open: (signal: AbortSignal | undefined) => Promise<Session>) {
    this.#open = open;
  }

  async list(path?: string, options?: FileOptions): Promise<FileList> {
    return this.#with(options, async (files) => files.list(path, options));
  }

  async stat(path: string, options?: FileOptions): Promise<FileEntry> {
    return this.#with(options, async (files) => files.stat(path, options));
  }

  async read(path: string, options?: FileReadOptions): Promise<Uint8Array> {
    return this.#with(options, async (files) => files.read(path, options));
  }

  async readText(path: string, options?: FileReadTextOptions): Promise<string> {
    return this.#with(options, async (files) => files.readText(path, options));
  }

  async *stream(path: string, options?: FileReadOptions): AsyncGenerator<Uint8Array, void> {
    const session = await this.#open(options?.signal);
    try {
      yield* session.files.stream(path, options);
    } finally {
      await session.release();
    }
  }

  async write(path: string, content: FileContent, options?: FileOptions): Promise<void> {
    // Its session may take seconds to open.
    await withContent(content, async (readable) =>
      this.#with(options, async (files) => files.write(path, readable, options)),
    );
  }

  async append(path: string, content: string | Uint8Array, options?: FileOptions): Promise<void> {
    await this.#with(options, async (files) => files.append(path, content, options));
  }

  async edit(path: string, edit: FileEdit): Promise<number> {
    return this.#with(edit, async (files) => files.edit(path, edit));
  }

  async remove(path: string, options?: FileRemoveOptions): Promise<void> {
    await this.#with(options, async (files) => files.remove(path, options));
  }

  async glob(pattern: string, options?: FileGlobOptions): Promise<FoundPaths> {
    return this.#with(options, async (files) => files.glob(pattern, options));
  }

  async grep(expression: string, options?: FileGrepOptions): Promise<FoundLines> {
    return this.#with(options, async (files) => files.grep(expression, options));
  }

  async #with<Result>(
    options: FileOptions | undefined,
    work: (files: SessionFiles) => Promise<Result>,
  ): Promise<Result> {
    const session = await this.#open(options?.signal);
    try {
      return await work(session.files);
    } finally {
      await session.release();
    }
  }
}
