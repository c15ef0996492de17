import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'libsql';
import { afterEach } from 'vitest';
import { NO_USAGE } from '../../../src/models/token-usage.ts';
import { fileStore, type FileStore } from '../../../src/orchestrator/store/file/file-store.ts';
import { sqliteStore, type SqliteStore } from '../../../src/orchestrator/store/sqlite-store.ts';
import { conversationConflict } from '../../../src/orchestrator/store/conflict.ts';
import { createDeferred, type Deferred } from '../../../src/shared/async/deferred.ts';
import type {
  StoreAppendOptions,
  ConversationEntry,
  ConversationHold,
  ConversationStore,
  StoreHoldOptions,
  StoreLoadOptions,
  StoredEntry,
} from '../../../src/orchestrator/store/conversation-store.ts';

export type RemovableStore = FileStore | SqliteStore;

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

/** A signal that does not fire. */
export const NEVER: { readonly signal: AbortSignal } = { signal: new AbortController().signal };

/** An entry that says which it is. */
export const ended = (runId: string): ConversationEntry => ({
  type: 'run-ended',
  runId,
  occurredAtMs: 1,
});

/** A conversation with a program that made many calls, and the messages after it. */
export function entriesWithCalls(count: number): ConversationEntry[] {
  const about = { runId: 'r', toolUseId: 'p' };
  const calls = Array.from({ length: count }, (_, index): ConversationEntry[] => [
    {
      type: 'tool-call-started',
      ...about,
      callId: `${index}`,
      toolName: 'act',
      arguments: 'x'.repeat(500),
    },
    { type: 'tool-call-ended', ...about, callId: `${index}`, result: 'y'.repeat(500) },
  ]).flat();
  const user = { role: 'user', content: [{ type: 'text', text: 'Go.' }] } as const;
  const answer = { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] } as const;
  return [
    { type: 'run-started', version: 1, runId: 'r', occurredAtMs: 1 },
    ...calls,
    {
      type: 'messages',
      runId: 'r',
      from: 0,
      messages: [user, answer],
      usage: NO_USAGE,
      hasState: false,
    },
    { type: 'run-ended', runId: 'r', occurredAtMs: 2 },
  ];
}

/** What happens if the second of two stores wants a conversation that the first one holds, and that then lets go of it. */
export async function orderOfHolders(
  first: ConversationStore,
  second: ConversationStore,
): Promise<readonly string[]> {
  const held = await first.hold?.({ key: 'one', ...NEVER });
  const order: string[] = [];
  const take = async (): Promise<void> => {
    const hold = await second.hold?.({ key: 'one', ...NEVER });
    order.push('taken');
    await hold?.release();
  };
  const taken = take();
  // Enough time to take one that nobody has.
  for (const key of ['another', 'a third'])
    await (await second.hold?.({ key, ...NEVER }))?.release();
  order.push('released');
  await held?.release();
  await taken;
  return order;
}

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

  async load({ after }: Pick<StoreLoadOptions, 'after'>): Promise<readonly StoredEntry[]> {
    return structuredClone(this.entries.slice(after));
  }

  async append({ key, entries, after }: StoreAppendOptions): Promise<void> {
    await this.beforeAppend(entries);
    if (after !== this.entries.length) throw conversationConflict(key);
    this.entries.push(...structuredClone(entries));
  }
}

/** A store in memory that one run at a time has. Another one waits until its signal fires. */
export class HeldMemoryStore extends MemoryStore {
  holders = 0;
  /** Resolves when somebody waits. */
  readonly awaited: Deferred<void> = createDeferred();

  async hold({ signal }: StoreHoldOptions): Promise<ConversationHold> {
    if (this.holders > 0) {
      this.awaited.resolve();
      await once(signal, 'abort');
      throw new Error('The waiting was ended.');
    }
    this.holders += 1;
    return {
      release: async () => {
        this.holders -= 1;
      },
    };
  }
}
