// @ts-check
// One SQLite file with the owners of conversations, the pictures of programs, requests for approval and the shop's
// orders. The messages are in the same file, in the table of the store.

const LIBRARIES = [
  async () => (await import('better-sqlite3')).default,
  // Part of Node from 22.13 on.
  // @ts-ignore The types of Node 20 do not have it.
  async () => (await import('node:sqlite')).DatabaseSync,
  async () => (await import('libsql')).default,
];

const TABLES = `
  CREATE TABLE IF NOT EXISTS conversations (
    id TEXT PRIMARY KEY, user TEXT NOT NULL, title TEXT NOT NULL, started_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS pictures (
    conversation TEXT NOT NULL, id TEXT NOT NULL, media_type TEXT NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY (conversation, id));
  CREATE TABLE IF NOT EXISTS approvals (
    id TEXT PRIMARY KEY, user TEXT NOT NULL, conversation TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS orders (
    number INTEGER PRIMARY KEY, user TEXT NOT NULL, product TEXT NOT NULL, quantity INTEGER NOT NULL);
`;

/**
 * Opens the database file. Creates it if it does not exist.
 * @param {string} file
 */
export async function openDatabase(file) {
  const Database = await sqliteLibrary();
  const database = new Database(file);
  // The data survives if the process is killed. FULL would also protect it from a power failure,
  // but then each step of each conversation would wait for the disk, and all others with it.
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = NORMAL');
  database.exec(TABLES);
  return database;
}

/**
 * Loads the first library that is installed. Their interfaces are the same in everything that is
 * used here.
 */
async function sqliteLibrary() {
  for (const load of LIBRARIES) {
    try {
      return await load();
    } catch (error) {
      const { code } = /** @type {NodeJS.ErrnoException} */ (error);
      if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'ERR_UNKNOWN_BUILTIN_MODULE') throw error;
    }
  }
  throw new Error(
    'No SQLite library is installed. Run `npm install better-sqlite3`, or use Node 22.13 or newer, which has one.',
  );
}
