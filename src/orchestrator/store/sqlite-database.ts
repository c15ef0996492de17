/**
 * The part of a database's interface that is used. `better-sqlite3`'s `Database` and Node's
 * `DatabaseSync` have it.
 */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

/**
 * The store passes strings and numbers. The libraries declare these parameters differently, and
 * only `any` accepts all of them.
 */
export interface SqliteStatement {
  // oxlint-disable-next-line typescript/no-explicit-any -- `unknown` would refuse the libraries' own declarations
  all(...parameters: any[]): readonly unknown[];
  // oxlint-disable-next-line typescript/no-explicit-any -- `unknown` would refuse the libraries' own declarations
  run(...parameters: any[]): unknown;
}
