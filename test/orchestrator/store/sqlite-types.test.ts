import type BetterSqlite3 from 'better-sqlite3';
import Libsql from 'libsql';
import { expect, expectTypeOf, it } from 'vitest';
import type { SqliteDatabase } from '../../../src/orchestrator/store/sqlite-database.ts';
import { sqliteStore } from '../../../src/orchestrator/store/sqlite-store.ts';

/**
 * `better-sqlite3` itself is not installed for the tests, because it has to be downloaded or compiled: the other tests run with
 * `libsql`, which has its interface. `node:sqlite` is neither in Node 20 nor in its types.
 */
it('a database of better-sqlite3 or libsql fits the store for the compiler', () => {
  expectTypeOf<BetterSqlite3.Database>().toExtend<SqliteDatabase>();
  expectTypeOf<Libsql.Database>().toExtend<SqliteDatabase>();
  expectTypeOf<{ exec(sql: string): void }>().not.toExtend<SqliteDatabase>();
  expect(sqliteStore({ database: new Libsql(':memory:') })).toHaveProperty('append');
});
