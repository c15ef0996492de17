import { createHash, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { scriptedModel, type ScriptedTurn } from '../../../src/models/scripted.ts';
import type { ConversationStore } from '../../../src/orchestrator/store/conversation-store.ts';
import { fileStore } from '../../../src/orchestrator/store/file/file-store.ts';
import { converse, refusalOf, says } from '../support.ts';
import { NEVER, MemoryStore, STORES, useDirectories } from '../store/stores.ts';
import { file } from './sandbox-cases.ts';

const makeDirectory = useDirectories();

const fails: ScriptedTurn = () => {
  throw new Error('The service is down.');
};

/** Runs whose request is not kept. */
const DROPPED = [
  { why: 'is discarded', onFailure: 'discard', turn: fails },
  { why: 'is refused', onFailure: 'keep', turn: { content: [], stopReason: 'refusal' } },
] as const;

/** A name of a file. The programs of these tests run without a sandbox, so each needs its own. */
function uniqueName(): string {
  const name = `${randomUUID()}.txt`;
  onTestFinished(async () => rm(`/tmp/inputs/${name}`, { force: true }));
  return name;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Which of these texts a store has as files of a conversation. */
async function kept(
  store: ConversationStore,
  key: string,
  texts: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const text of texts) {
    const bytes = await store.loadFile?.({ key, sha256: digest(text), ...NEVER });
    if (bytes !== undefined) found.push(text);
  }
  return found;
}

describe.each(DROPPED)('the files of a run whose request $why', ({ onFailure, turn }) => {
  it.each(STORES)('are deleted from $name, and those before it stay', async ({ open }) => {
    const directory = await makeDirectory();
    const store = open(directory);
    const [name, other] = [uniqueName(), uniqueName()];
    const sessionKey = randomUUID();
    const { orchestrator } = converse([says('1'), turn], { store, sessionKey, onFailure });
    await orchestrator.run([file(name, 'old')]);
    const before = orchestrator.toJSON();
    await refusalOf(orchestrator.run([file(name, 'new'), file(other, 'other')]));
    expect(orchestrator.toJSON()).toMatchObject({
      messages: before.messages,
      files: [{ name, sha256: digest('old') }],
    });
    expect(await kept(store, sessionKey, ['old', 'new', 'other'])).toEqual(['old']);
    const later = converse([], { store: open(directory), sessionKey }).orchestrator;
    await later.load();
    expect(await later.files.readText(`inputs/${name}`)).toBe('old');
  });

  it('are forgotten without a store, and those before it stay', async () => {
    const name = uniqueName();
    const { orchestrator } = converse([says('1'), turn], { onFailure });
    await orchestrator.run([file(name, 'old')]);
    await refusalOf(orchestrator.run([file(name, 'new')]));
    expect(orchestrator.toJSON().files).toMatchObject([{ name, sha256: digest('old') }]);
    expect(await orchestrator.files.readText(`inputs/${name}`)).toBe('old');
  });

  it('are forgotten by a fork, also if its origin replaced those before it meanwhile', async () => {
    const store = fileStore({ directory: await makeDirectory() });
    const name = uniqueName();
    const { orchestrator } = converse([says('1'), says('2')], { store, onFailure });
    await orchestrator.run([file(name, 'old')]);
    const model = scriptedModel([turn]);
    const fork = orchestrator.fork({
      sessionKey: randomUUID(),
      model: {
        id: 'waits',
        async *stream(request) {
          await orchestrator.run([file(name, 'newest')]);
          yield* model.stream(request);
        },
      },
    });
    onTestFinished(async () => fork.close());
    await refusalOf(fork.run([file(name, 'new')]));
    expect(await fork.files.readText(`inputs/${name}`)).toBe('old');
  });
});

it('a run that is discarded because others wrote meanwhile deletes none of their files', async () => {
  const sessionKey = randomUUID();
  const name = uniqueName();
  const files = new Map<string, Uint8Array>();
  let beforeSave: () => Promise<unknown> = async () => undefined;
  const store: ConversationStore = Object.assign(new MemoryStore(), {
    saveFile: async ({ sha256, data }: { sha256: string; data: Uint8Array }) => {
      await beforeSave();
      files.set(sha256, data);
    },
    loadFile: async ({ sha256 }: { sha256: string }) => files.get(sha256),
    keepFiles: async ({ kept: digests }: { kept: readonly string[] }) => {
      for (const sha256 of files.keys()) if (!digests.includes(sha256)) files.delete(sha256);
    },
  });
  const options = { store, sessionKey };
  const theirs = converse([says('1'), says('2')], options).orchestrator;
  await theirs.run([file(name, 'old')]);
  const ours = converse([says('3')], { ...options, onFailure: 'discard' }).orchestrator;
  beforeSave = async () => {
    beforeSave = async () => undefined;
    return theirs.run([file(name, 'theirs')]);
  };
  expect(await refusalOf(ours.run([file(name, 'ours')]))).toMatchObject({
    code: 'CONVERSATION_CONFLICT',
  });
  expect(await kept(store, sessionKey, ['theirs'])).toEqual(['theirs']);
});
