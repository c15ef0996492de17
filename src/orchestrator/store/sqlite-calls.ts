import { LoopPauses } from '../../shared/async/loop-pauses.ts';
import type { SqliteDatabase, SqliteStatement } from './sqlite-database.ts';

/** In SQL, whether an entry is about a call. */
export const IS_ABOUT_CALL = `entry LIKE '{"type":"tool-call-%'`;

/** Calls are dropped if the newest of so many entries have more than so many of them. */
const NEWEST = 500;
const MIN_DROPPED = 100;

/** How many entries a query looks at: it reads all of each, which can have images. */
const LOOKED_AT_ONCE = 4;

/** The entries about calls in a database, which need not stay if later messages describe the calls. */
export class SqliteCalls {
  readonly #select: SqliteStatement;
  readonly #drop: SqliteStatement;

  constructor(database: SqliteDatabase) {
    this.#select = database.prepare(
      `SELECT position FROM ptc_conversation_entries WHERE conversation = ? AND position >= ? AND position < ? AND ${IS_ABOUT_CALL}`,
    );
    this.#drop = database.prepare(
      "UPDATE ptc_conversation_entries SET entry = 'null' WHERE conversation = ? AND position IN (SELECT value FROM json_each(?))",
    );
  }

  /**
   * Drops the calls before a position, from the newest on, with pauses for other work. Each entry keeps
   * its position.
   */
  async compact(key: string, before: number): Promise<void> {
    const pauses = new LoopPauses();
    let least = MIN_DROPPED;
    for (let end = before; end > 0; end -= NEWEST) {
      const calls = await this.#find(key, end, pauses);
      if (calls.length <= least) return;
      this.#drop.run(key, JSON.stringify(calls));
      least = 0;
    }
  }

  /** The positions of the calls among the newest entries before a position. */
  async #find(key: string, end: number, pauses: LoopPauses): Promise<readonly number[]> {
    const calls: number[] = [];
    for (let from = Math.max(0, end - NEWEST); from < end; from += LOOKED_AT_ONCE) {
      const found = this.#select.all(key, from, Math.min(from + LOOKED_AT_ONCE, end));
      for (const { position } of found as readonly { readonly position: number }[]) {
        calls.push(position);
      }
      const pause = pauses.next();
      if (pause !== undefined) await pause;
    }
    return calls;
  }
}
