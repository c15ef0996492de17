import type { JsonValue } from '../shared/json/json.ts';

/** The messages about files. `messages.ts` has the others. */

/**
 * What the host does with the files in `/tmp`. A `path` is relative to `/tmp`, or begins with it.
 * `data` has at most `FILE_PIECE_BYTES` bytes. It precedes the frame, and is not a field of its JSON.
 */
export type FileOperation =
  | { readonly operation: 'stat' | 'list'; readonly path: string }
  | {
      /** What is in a directory and below it, except directories. No link is followed. */
      readonly operation: 'tree';
      readonly path: string;
    }
  | {
      /** A piece of a file, which stays open until its last one. */
      readonly operation: 'read';
      readonly path: string;
      /** The same id for all pieces. */
      readonly transfer: string;
      readonly is_first: boolean;
      /** Where the piece begins, in bytes. */
      readonly offset: number;
      /** At most `FILE_PIECE_BYTES`. */
      readonly length: number;
    }
  | {
      /** A piece of the new content of a file. The file changes with the last one. */
      readonly operation: 'write';
      readonly path: string;
      readonly transfer: string;
      readonly is_first: boolean;
      readonly is_last: boolean;
      readonly data: Uint8Array;
    }
  | {
      /** Gives up a transfer that does not come to its last piece. */
      readonly operation: 'release';
      readonly transfer: string;
    }
  | { readonly operation: 'append'; readonly path: string; readonly data: Uint8Array }
  | {
      readonly operation: 'edit';
      readonly path: string;
      readonly find: string;
      readonly replace: string;
      /** Whether the text may be there more than once. */
      readonly all: boolean;
    }
  | { readonly operation: 'remove'; readonly path: string; readonly recursive: boolean }
  | {
      readonly operation: 'glob';
      /** The directory to which the pattern is relative. */
      readonly path: string;
      readonly pattern: string;
    }
  | {
      readonly operation: 'grep';
      readonly path: string;
      /** Which files are searched. */
      readonly pattern: string;
      /** A regular expression of Python. */
      readonly expression: string;
      readonly ignore_case: boolean;
      /** The most matches. */
      readonly limit: number;
    };

/**
 * Host to runner: do something with files. Programs may run meanwhile. Requests are carried out in
 * their order. While one waits for its answer, the host sends no other, except that a few pieces of
 * files can be under way together: an answer also says that the runner has room for another one.
 */
export type FileRequestMessage = {
  readonly kind: 'file-request';
  readonly request_id: string;
} & FileOperation;

/**
 * Host to runner: the host no longer waits for this request. The runner ends what does it, and
 * answers with an error if it has not answered yet.
 */
export interface FileCancelMessage {
  readonly kind: 'file-cancel';
  readonly request_id: string;
}

/** Runner to host: the answer to a `file-request`. */
export interface FileAnswerMessage {
  readonly kind: 'file-answer';
  readonly request_id: string;
  /** Null if it was done. */
  readonly error: FileFailure | null;
  /** What is told about it, by operation: `src/execution/files/read-answers.ts` checks it. */
  readonly result: JsonValue;
  /** The piece that was read, which precedes the frame. Null for other operations. */
  readonly data: Uint8Array | null;
}

/** Why something could not be done with a file. */
export interface FileFailure {
  /** The name of a system error, such as `ENOENT`. */
  readonly errno: string;
  readonly message: string;
}
