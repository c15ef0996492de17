import { randomUUID } from 'node:crypto';
import { hasMethod } from '../../shared/guards.ts';
import { checkOptionNames, type OptionsObject } from '../../shared/options/option-names.ts';
import { invalidOption } from '../../shared/options/option-values.ts';
import { checkKeyText } from '../../sessions/options/keys-and-labels.ts';
import { holdNameWhenFree, isNameHeld } from '../../shared/held-names/held-name.ts';
import { LoopPauses } from '../../shared/async/loop-pauses.ts';
import { invalidConversation } from '../conversation/conversation-document.ts';
import { conversationConflict } from './conflict.ts';
import { IS_ABOUT_CALL, SqliteCalls } from './sqlite-calls.ts';
import type { SqliteDatabase, SqliteStatement } from './sqlite-database.ts';
import type {
  StoreAppendOptions,
  ConversationHold,
  ConversationStore,
  StoreKeepFilesOptions,
  StoreLoadFileOptions,
  StoreSaveFileOptions,
  StoreHoldOptions,
  StoreLoadOptions,
  StoredEntry,
} from './conversation-store.ts';

export interface SqliteStoreOptions {
  /**
   * An open database. You close it; the store does not. The store has its own tables in it,
   * `ptc_conversation_entries` and `ptc_conversation_files`.
   */
  readonly database: SqliteDatabase;
}

export const SQLITE_STORE_OPTIONS: OptionsObject<SqliteStoreOptions> = {
  of: 'sqliteStore',
  names: { database: true },
  page: 'docs/conversations.md',
  otherWords: { path: 'database', file: 'database' },
};

interface Row {
  readonly entry: string;
}

const TABLE = `CREATE TABLE IF NOT EXISTS ptc_conversation_entries (
  conversation TEXT NOT NULL,
  position INTEGER NOT NULL,
  entry TEXT NOT NULL,
  PRIMARY KEY (conversation, position)
) WITHOUT ROWID`;

const FILES_TABLE = `CREATE TABLE IF NOT EXISTS ptc_conversation_files (
  conversation TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (conversation, sha256)
)`;

/**
 * How long to wait for another connection that writes, in milliseconds, unless the connection
 * already has a limit.
 */
const BUSY_TIMEOUT_MS = 5000;

/** How many entries a query reads at most: it blocks the event loop. */
const READ_AT_ONCE = 16;
/** How many characters a query is to read at most, if the next entries are as long as those before. */
const READ_LENGTH = 1024 * 1024;

/**
 * Keeps conversations in a table of a SQLite database. Runs of the same conversation wait for each
 * other, even in different processes on this machine.
 */
export class SqliteStore implements ConversationStore {
  readonly #database: SqliteDatabase;
  readonly #select: SqliteStatement;
  readonly #lastMessages: SqliteStatement;
  readonly #count: SqliteStatement;
  readonly #insert: SqliteStatement;
  readonly #delete: SqliteStatement;
  readonly #insertFile: SqliteStatement;
  readonly #selectFile: SqliteStatement;
  readonly #deleteFiles: SqliteStatement;
  readonly #calls: SqliteCalls;
  readonly #name: string;

  /** @throws PtcError `OPTION_INVALID` if `database` is not an open database. */
  constructor(options: SqliteStoreOptions) {
    checkOptionNames(options, SQLITE_STORE_OPTIONS);
    const { database } = options;
    if (!hasMethod(database, 'prepare')) {
      throw invalidOption(
        'database',
        database,
        "an open database, such as new DatabaseSync('x.db')",
      );
    }
    this.#database = database;
    const [{ timeout }] = database.prepare('PRAGMA busy_timeout').all() as [{ timeout: number }];
    if (timeout === 0) database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    database.exec(TABLE);
    database.exec(FILES_TABLE);
    this.#select = database.prepare(
      `SELECT CASE WHEN position < ? AND ${IS_ABOUT_CALL} THEN 'null' ELSE entry END AS entry
        FROM ptc_conversation_entries WHERE conversation = ? AND position >= ? ORDER BY position LIMIT ?`,
    );
    this.#lastMessages = database.prepare(
      `SELECT position FROM ptc_conversation_entries WHERE conversation = ? AND entry LIKE '{"type":"messages"%'
        ORDER BY position DESC LIMIT 1`,
    );
    this.#count = database.prepare(
      'SELECT COALESCE(MAX(position) + 1, 0) AS entries FROM ptc_conversation_entries WHERE conversation = ?',
    );
    this.#insert = database.prepare('INSERT INTO ptc_conversation_entries VALUES (?, ?, ?)');
    this.#delete = database.prepare('DELETE FROM ptc_conversation_entries WHERE conversation = ?');
    this.#insertFile = database.prepare(
      'INSERT OR IGNORE INTO ptc_conversation_files VALUES (?, ?, ?)',
    );
    this.#selectFile = database.prepare(
      'SELECT data FROM ptc_conversation_files WHERE conversation = ? AND sha256 = ?',
    );
    this.#deleteFiles = database.prepare(
      'DELETE FROM ptc_conversation_files WHERE conversation = ? AND sha256 NOT IN (SELECT value FROM json_each(?))',
    );
    this.#calls = new SqliteCalls(database);
    this.#name = `conversation/${fileOf(database)}`;
  }

  async load({ key, after }: Omit<StoreLoadOptions, 'signal'>): Promise<readonly StoredEntry[]> {
    checkKeyText('key', key);
    const lastMessages = this.#positionOfLastMessages(key);
    const pauses = new LoopPauses();
    const entries: StoredEntry[] = [];
    let rows: readonly Row[];
    let limit = 1;
    let nextLimit = limit;
    do {
      limit = nextLimit;
      rows = this.#select.all(lastMessages, key, after + entries.length, limit) as readonly Row[];
      nextLimit = Math.min(2 * limit, READ_AT_ONCE);
      for (const { entry } of rows) {
        entries.push(parseEntry(entry, after + entries.length));
        nextLimit = Math.max(1, Math.min(nextLimit, Math.floor(READ_LENGTH / entry.length)));
        const pause = pauses.next();
        if (pause !== undefined) await pause;
      }
    } while (rows.length === limit);
    return entries;
  }

  async append({ key, entries, after }: StoreAppendOptions): Promise<void> {
    checkKeyText('key', key);
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const [row] = this.#count.all(key) as readonly { readonly entries: number }[];
      if (row?.entries !== after) throw conversationConflict(key);
      for (const [index, entry] of entries.entries()) {
        this.#insert.run(key, after + index, JSON.stringify(entry));
      }
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // After some errors, such as a full disk, SQLite has already rolled back. The first error is
      // the useful one.
    }
  }

  async hold({ key, signal }: StoreHoldOptions): Promise<ConversationHold> {
    checkKeyText('key', key);
    const held = await holdNameWhenFree(`${this.#name}/${key}`, signal);
    return {
      release: async () => {
        try {
          await this.#calls.compact(key, this.#positionOfLastMessages(key));
        } catch {
          // The rest stays, for instance because the database is busy or the disk full.
        } finally {
          await held.release();
        }
      },
    };
  }

  #positionOfLastMessages(key: string): number {
    const [last] = this.#lastMessages.all(key) as readonly { readonly position: number }[];
    return last?.position ?? 0;
  }

  async isHeld({ key }: { readonly key: string }): Promise<boolean> {
    checkKeyText('key', key);
    return isNameHeld(`${this.#name}/${key}`);
  }

  async saveFile({ key, sha256, data }: StoreSaveFileOptions): Promise<void> {
    checkKeyText('key', key);
    this.#insertFile.run(key, sha256, Buffer.from(data.buffer, data.byteOffset, data.byteLength));
  }

  async loadFile({
    key,
    sha256,
  }: Omit<StoreLoadFileOptions, 'signal'>): Promise<Uint8Array | undefined> {
    checkKeyText('key', key);
    const [row] = this.#selectFile.all(key, sha256) as readonly { readonly data: ArrayBuffer }[];
    // Some libraries return an ArrayBuffer, others a Uint8Array.
    return row && new Uint8Array(row.data);
  }

  async keepFiles({ key, kept }: StoreKeepFilesOptions): Promise<void> {
    checkKeyText('key', key);
    this.#deleteFiles.run(key, JSON.stringify(kept));
  }

  /** Deletes a conversation and its files. It must not have a run in progress. */
  async remove(key: string): Promise<void> {
    checkKeyText('key', key);
    this.#delete.run(key);
    this.#deleteFiles.run(key, '[]');
  }
}

/** Creates a store that keeps conversations in a SQLite database that you opened. */
export function sqliteStore(options: SqliteStoreOptions): SqliteStore {
  return new SqliteStore(options);
}

/** The path of the database file; a unique name for a database in memory. */
function fileOf(database: SqliteDatabase): string {
  const all = database.prepare('PRAGMA database_list').all();
  const [main] = all as readonly { readonly file: string | null }[];
  return main?.file || randomUUID();
}

/** The caller checks that it is an entry. */
function parseEntry(text: string, index: number): StoredEntry {
  try {
    return JSON.parse(text) as StoredEntry;
  } catch (error) {
    throw invalidConversation(`its entry ${index} is not JSON (${String(error)})`);
  }
}
