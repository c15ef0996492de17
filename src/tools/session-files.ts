/**
 * The files of a session: what is in `/tmp` of its sandbox. Programs and these methods see the same
 * files, also while a program runs; between programs they stay. A process in the sandbox does the
 * work, with the rights and limits of a program.
 *
 * A path is relative to `/tmp`, or begins with `/tmp/`. A path that leads out of `/tmp`, also by a
 * link, is refused. The methods do one thing after another, so simultaneous edits of a file all
 * count.
 *
 * There is no method that reads or writes files of your machine: pass `createReadStream(…)` to
 * `write`, and `stream(…)` to `pipeline`. So your code alone decides which files of your machine are
 * used.
 *
 * Each method throws a `PtcError`: `FILE_FAILED` if it could not be done, with the name of the system
 * error in `details.errno` (`ENOENT`, `EISDIR`, `ENOSPC`; `EXDEV` for a path that leads out of
 * `/tmp`; `ETIMEDOUT` if the sandbox did not answer for 30 s), what `Session.execute` throws if the
 * session has ended, `SANDBOX_LOST`, `OPTION_INVALID`, or `ABORTED` if the signal fires.
 */
export interface SessionFiles {
  /**
   * The entries of a directory, by name: at most a thousand. The unfinished content of a file that
   * is being written is not among them, nor in what `glob` and `grep` find.
   * @param path - @default `/tmp`
   */
  list(path?: string, options?: FileOptions): Promise<FileList>;
  /** What a path names. A link is followed: the entry has its name, and the rest of what it leads to. */
  stat(path: string, options?: FileOptions): Promise<FileEntry>;
  /** The bytes of a file, or of a part of it. */
  read(path: string, options?: FileReadOptions): Promise<Uint8Array>;
  /**
   * The text of a file, or lines of it, in UTF-8. A byte order mark stays. Bytes that are not UTF-8
   * become U+FFFD.
   */
  readText(path: string, options?: FileReadTextOptions): Promise<string>;
  /**
   * The bytes of a file, piece by piece, for files that are too large for the memory. It ends at the
   * size that the file has when it is opened. Nothing is read until the first piece is asked for.
   */
  stream(path: string, options?: FileReadOptions): AsyncGenerator<Uint8Array, void>;
  /**
   * Writes a file and the directories that it needs. The file has its old content until the new one
   * is complete; if this fails, it keeps it. Its size is limited by the storage of the sandbox
   * (`limits.temporaryStorageBytes`).
   * @param content - A text is written in UTF-8. A stream, such as that of `createReadStream`, is
   * written piece by piece.
   */
  write(path: string, content: FileContent, options?: FileOptions): Promise<void>;
  /**
   * Adds to the end of a file, and makes it if it is missing. Content of more than 256 KiB is added
   * in pieces: if one fails, those before it stay. No other `append` adds something between them.
   */
  append(path: string, content: string | Uint8Array, options?: FileOptions): Promise<void>;
  /**
   * Replaces a text in a file of at most 16 MiB.
   * @returns how many times.
   * @throws PtcError `FILE_FAILED` with the `errno` `ENOMSG` if the text is not there, or `ENOTUNIQ`
   * if it is there more than once and `all` is not set.
   */
  edit(path: string, edit: FileEdit): Promise<number>;
  /** Removes a file, a link or an empty directory. */
  remove(path: string, options?: FileRemoveOptions): Promise<void>;
  /**
   * The paths that match a pattern, relative to `/tmp`: at most a thousand. `*` and `?` match
   * characters of a name, also at its beginning, `[…]` one of some characters, and `**` any number of
   * directories. Links are not followed.
   */
  glob(pattern: string, options?: FileGlobOptions): Promise<FoundPaths>;
  /**
   * The lines that match a regular expression, in the syntax of Python. Links, and files that are
   * not text, are left out. A line has one entry, however often it matches. In a line of more than
   * 65,536 characters, a match of more than 2048 may be missed.
   */
  grep(expression: string, options?: FileGrepOptions): Promise<FoundLines>;
}

/** What is written to a file. */
export type FileContent = string | Uint8Array | AsyncIterable<string | Uint8Array>;

/** Options of the methods of `SessionFiles`. */
export interface FileOptions {
  /**
   * Ends the wait. What the sandbox was already asked for may be done nevertheless: after `append`,
   * `edit` and `remove`, look at the file before you try again. A file that is being written has its
   * old content, or all of the new one. @default none
   */
  readonly signal?: AbortSignal | undefined;
}

/** Which part of a file is read. */
export interface FileReadOptions extends FileOptions {
  /** Where to begin, in bytes. @default 0 */
  readonly offsetBytes?: number | undefined;
  /** How many bytes to read, if the file has as many. @default all */
  readonly lengthBytes?: number | undefined;
  /**
   * If there are more bytes to read, this fails with the `errno` `EFBIG`.
   * @default 16 MiB for `read` and `readText`, 1 GiB for `stream`
   */
  readonly maxBytes?: number | undefined;
}

/** Which lines of a file are read. The bytes before them count for `maxBytes` too. */
export interface FileReadTextOptions extends Omit<FileReadOptions, 'offsetBytes' | 'lengthBytes'> {
  /** The first line, counted from 1. @default 1 */
  readonly fromLine?: number | undefined;
  /** The last line. @default the last one of the file */
  readonly toLine?: number | undefined;
}

/** What `SessionFiles.edit` replaces. */
export interface FileEdit extends FileOptions {
  /** The text as it is in the file. At most 256 KiB. */
  readonly find: string;
  /** What is put there instead. At most 256 KiB. */
  readonly replace: string;
  /** Whether the text may be there more than once. @default false */
  readonly all?: boolean | undefined;
}

/** What `SessionFiles.remove` removes. */
export interface FileRemoveOptions extends FileOptions {
  /** Whether a directory is removed with everything in it. @default false */
  readonly recursive?: boolean | undefined;
}

/** Where `SessionFiles.glob` looks. */
export interface FileGlobOptions extends FileOptions {
  /** The directory to which the pattern is relative. @default `/tmp` */
  readonly path?: string | undefined;
}

/** Where `SessionFiles.grep` looks, and for what. */
export interface FileGrepOptions extends FileOptions {
  /** A directory or a file. @default `/tmp` */
  readonly path?: string | undefined;
  /** Which files below `path`: a pattern as in `glob`. @default all */
  readonly pattern?: string | undefined;
  /** @default false */
  readonly ignoreCase?: boolean | undefined;
  /** The most matches, up to 1000. @default 100 */
  readonly limit?: number | undefined;
}

/** A file, directory or link. */
export interface FileEntry {
  /** The last name of its path; empty for `/tmp` itself. */
  readonly name: string;
  /** `other` is what cannot be read, such as a fifo. */
  readonly type: 'file' | 'directory' | 'link' | 'other';
  readonly sizeBytes: number;
  /** When it was changed, in milliseconds since 1970. */
  readonly modifiedAtMs: number;
}

/** The entries of a directory. */
export interface FileList {
  readonly entries: readonly FileEntry[];
  /** Whether there are more. */
  readonly truncated: boolean;
}

/** What `SessionFiles.glob` found. */
export interface FoundPaths {
  /** Relative to `/tmp`, in order. */
  readonly paths: readonly string[];
  /** Whether there are more, or not everything was looked at. */
  readonly truncated: boolean;
}

/** What `SessionFiles.grep` found. */
export interface FoundLines {
  readonly matches: readonly FoundLine[];
  /** Whether there are more, or not everything was looked at. */
  readonly truncated: boolean;
}

/** A line that matches. */
export interface FoundLine {
  /** The path of its file, relative to `/tmp`. */
  readonly path: string;
  /** Its number, counted from 1. */
  readonly line: number;
  /** Without its end. Of a line of more than 500 characters, so many around the first match. */
  readonly text: string;
}
