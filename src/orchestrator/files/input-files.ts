import { createHash } from 'node:crypto';
import { storeFailed } from '../store/store-failed.ts';
import type { ConversationStore } from '../store/conversation-store.ts';
import { invalidFile, tooLarge, type GivenFile } from './given-files.ts';
import { MOST_FILES, type InputFile } from './input-file.ts';

export interface InputFilesOptions {
  /** Those of the document from which the conversation continues. */
  readonly files: readonly InputFile[];
  /** How many bytes they may have together. */
  readonly maxBytes: number;
  readonly store: ConversationStore | undefined;
  /** The key of the conversation in the store. */
  readonly key: () => string;
}

const NEVER = new AbortController().signal;

/** When files were last given, by their names: those of this process, in the order of `nextTime`. */
type GivenTimes = ReadonlyMap<string, number>;

let lastTime = 0;

/** Orders when files are given to conversations of this process and when they are written. */
export function nextTime(): number {
  lastTime += 1;
  return lastTime;
}

/**
 * The files that were given to a conversation. Their bytes are in its store, or in memory if there is
 * none that keeps files.
 */
export class InputFiles {
  readonly #options: InputFilesOptions;
  #files: readonly InputFile[];
  /** Those before the run in progress, which are listed again if its request is not kept. */
  #before: readonly InputFile[];
  #given: GivenTimes = new Map();
  #givenBefore: GivenTimes = this.#given;
  /** By digest. */
  readonly #bytes: Map<string, Uint8Array> = new Map();
  /** The conversation that this one is a fork of, until this one has its bytes. */
  #origin: InputFiles | undefined;
  /** The forks of this one, some of which need its bytes. One that nobody uses any more may be collected. */
  #forks: readonly WeakRef<InputFiles>[] = [];
  /** Whether the store may have bytes that are no longer needed. */
  #hasUnneeded = false;

  constructor(options: InputFilesOptions) {
    this.#options = options;
    this.#files = options.files;
    this.#before = options.files;
  }

  get list(): readonly InputFile[] {
    return this.#files;
  }

  get maxBytes(): number {
    return this.#options.maxBytes;
  }

  /** When a file was last given to this conversation; 0 if that was in another process. */
  givenAt({ name }: InputFile): number {
    return this.#given.get(name) ?? 0;
  }

  /** Another process has changed them, as the store says. */
  replace(files: readonly InputFile[]): void {
    this.#files = files;
    this.#before = files;
  }

  /** Makes this the files of a fork. The bytes in memory are shared; a store is read when they are needed. */
  forkFrom(origin: InputFiles): void {
    this.#origin = origin;
    origin.#forks = [...origin.#waitingForks(), this].map((fork) => new WeakRef(fork));
    for (const [sha256, bytes] of origin.#bytes) this.#bytes.set(sha256, bytes);
  }

  /**
   * Adds the files of a run. Their bytes are stored before this returns.
   * @param stored - The files that the store already has.
   * @throws PtcError `INPUT_INVALID` if the conversation would have too many; `STORE_FAILED`.
   */
  async add(given: readonly GivenFile[], stored: readonly InputFile[]): Promise<void> {
    if (given.length > 0) {
      const all = new Map(this.#files.map((file) => [file.name, file]));
      for (const { file } of given) all.set(file.name, file);
      const files = [...all.values()];
      this.#checkRoom(files);
      for (const { file, bytes } of given) this.#bytes.set(file.sha256, bytes);
      this.#hasUnneeded ||= this.#files.some(
        ({ name, sha256 }) => all.get(name)?.sha256 !== sha256,
      );
      this.#files = files;
      this.#given = new Map([
        ...this.#given,
        ...given.map(({ file }) => [file.name, nextTime()] as const),
      ]);
    }
    const inStore = new Set(stored.map(({ sha256 }) => sha256));
    // The store may have lost the bytes of a file that is given again.
    for (const { file } of given) inStore.delete(file.sha256);
    await this.#save(inStore);
  }

  /** Lists the files from before the run in progress, because its request is not kept. */
  restore(): void {
    this.#hasUnneeded ||= this.#files !== this.#before;
    this.#files = this.#before;
    this.#given = this.#givenBefore;
  }

  /**
   * Ends a run, and deletes the bytes of files that are no longer listed.
   * @param isStored - Whether the store has the list. If not, it may still name what was replaced.
   */
  async endRun(isStored: boolean): Promise<void> {
    this.#before = this.#files;
    this.#givenBefore = this.#given;
    if (!isStored) return;
    if (this.#hasUnneeded) {
      this.#hasUnneeded = false;
      await this.#giveToForks();
      await this.#keepListed();
    }
    this.#forgetOthers();
  }

  /** Those that are listed, and those that will be if the request of the run is not kept. */
  get #needed(): ReadonlySet<InputFile> {
    return new Set([...this.#before, ...this.#files]);
  }

  #checkRoom(files: readonly InputFile[]): void {
    const { maxBytes } = this.#options;
    const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    if (files.length > MOST_FILES) {
      const problem = `a conversation can have ${MOST_FILES} files, and this would be ${files.length}`;
      throw invalidFile(problem);
    }
    if (bytes > maxBytes) throw invalidFile(tooLarge(bytes, maxBytes));
  }

  /** Stores the bytes that the store lacks, also those of the conversation before a fork. */
  async #save(stored: ReadonlySet<string>): Promise<void> {
    const { store, key } = this.#options;
    if (!keepsFiles(store)) return;
    for (const file of this.#needed) {
      const { sha256 } = file;
      if (stored.has(sha256)) continue;
      const data = this.#bytes.get(sha256) ?? (await this.#origin?.bytesOf(file, NEVER));
      if (data === undefined) continue;
      try {
        await store.saveFile({ key: key(), sha256, data });
      } catch (error) {
        throw storeFailed('keep a file of this conversation', error);
      }
      this.#bytes.delete(sha256);
    }
    this.#origin = undefined;
  }

  /**
   * The bytes of a file; undefined if nobody has them any more.
   * @throws PtcError `STORE_FAILED`, or the signal's reason.
   */
  async bytesOf(file: InputFile, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const { sha256, sizeBytes } = file;
    const bytes = this.#bytes.get(sha256) ?? (await this.#load(sha256, signal));
    if (bytes === undefined) return this.#origin?.bytesOf(file, signal);
    const isSame =
      bytes.length === sizeBytes && createHash('sha256').update(bytes).digest('hex') === sha256;
    return isSame ? bytes : undefined;
  }

  async #load(sha256: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const { store, key } = this.#options;
    if (!keepsFiles(store)) return undefined;
    try {
      return await store.loadFile({ key: key(), sha256, signal });
    } catch (error) {
      throw signal.aborted ? signal.reason : storeFailed('read a file of this conversation', error);
    }
  }

  /** Deletes all. @throws PtcError `STORE_FAILED` */
  async clear(): Promise<void> {
    this.replace([]);
    await this.#giveToForks();
    this.#origin = undefined;
    this.#forgetOthers();
    await this.#keepListed();
  }

  /** Reads what is deleted next for the forks that do not have it yet. @throws PtcError `STORE_FAILED` */
  async #giveToForks(): Promise<void> {
    const kept = new Set(this.#files.map(({ sha256 }) => sha256));
    // Forks share what was read.
    const read = new Map<string, Uint8Array>();
    for (const fork of this.#waitingForks()) {
      for (const file of fork.#needed) {
        const { sha256 } = file;
        if (kept.has(sha256) || fork.#bytes.has(sha256)) continue;
        const bytes = read.get(sha256) ?? (await this.bytesOf(file, NEVER));
        if (bytes === undefined) continue;
        read.set(sha256, bytes);
        fork.#bytes.set(sha256, bytes);
      }
    }
  }

  /** The forks that do not have their bytes yet. */
  #waitingForks(): readonly InputFiles[] {
    const forks = this.#forks.flatMap((fork) => fork.deref() ?? []);
    return forks.filter((fork) => fork.#origin === this);
  }

  async #keepListed(): Promise<void> {
    const { store, key } = this.#options;
    try {
      const kept = this.#files.map(({ sha256 }) => sha256);
      await store?.keepFiles?.({ key: key(), kept });
    } catch (error) {
      throw storeFailed('delete files of this conversation', error);
    }
  }

  #forgetOthers(): void {
    const kept = new Set(this.#files.map(({ sha256 }) => sha256));
    for (const sha256 of this.#bytes.keys()) if (!kept.has(sha256)) this.#bytes.delete(sha256);
  }
}

type FileKeepingStore = ConversationStore &
  Required<Pick<ConversationStore, 'saveFile' | 'loadFile'>>;

function keepsFiles(store: ConversationStore | undefined): store is FileKeepingStore {
  return store?.saveFile !== undefined && store.loadFile !== undefined;
}
