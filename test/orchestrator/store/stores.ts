import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'libsql';
import { afterEach } from 'vitest';
import { fileStore } from '../../../src/orchestrator/store/file-store.ts';
import { sqliteStore } from '../../../src/orchestrator/store/sqlite-store.ts';
import { conversationConflict } from '../../../src/orchestrator/store/conflict.ts';
import type {
  ConversationEntry,
  ConversationStore,
} from '../../../src/orchestrator/store/conversation-store.ts';

export type RemovableStore = ConversationStore & { remove(key: string): Promise<void> };

/** A way to keep conversations in a directory. A store that is opened again sees what an earlier one wrote. */
export interface StoreKind {
  readonly name: 'fileStore' | 'sqliteStore';
  readonly open: (directory: string) => RemovableStore;
}

/** `libsql` has the interface of `better-sqlite3`, and needs no compiler to be installed. */
export const STORES: readonly StoreKind[] = [
  { name: 'fileStore', open: (directory) => fileStore({ directory }) },
  {
    name: 'sqliteStore',
    open: (directory) =>
      sqliteStore({ database: new Database(path.join(directory, 'conversations.db')) }),
  },
];

/** Gives a maker of directories, which are removed after the test that made them. */
export function useDirectories(): () => Promise<string> {
  const made: string[] = [];
  afterEach(async () => {
    await Promise.all(made.splice(0).map((one) => rm(one, { recursive: true, force: true })));
  });
  return async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'ptc-store-'));
    made.push(directory);
    return directory;
  };
}

/** A store in memory that keeps no other run away, as a simple one of a user's. */
export class MemoryStore implements ConversationStore {
  readonly entries: ConversationEntry[];
  /** Is called before entries are added. */
  beforeAppend: (entries: readonly ConversationEntry[]) => unknown = () => {};

  constructor(entries: readonly ConversationEntry[] = []) {
    this.entries = [...entries];
  }

  async load(_key: string, after: number): Promise<readonly unknown[]> {
    return structuredClone(this.entries.slice(after));
  }

  async append(key: string, entries: readonly ConversationEntry[], after: number): Promise<void> {
    await this.beforeAppend(entries);
    if (after !== this.entries.length) throw conversationConflict(key);
    this.entries.push(...structuredClone(entries));
  }
}
