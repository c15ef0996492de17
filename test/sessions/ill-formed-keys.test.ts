import { describe, expect, it } from 'vitest';
import { CodeTool } from '../../src/orchestrator/code/code-tool.ts';
import { STORES, NEVER, ended, useDirectories } from '../orchestrator/store/stores.ts';
import { converse, refusalOf } from '../orchestrator/support.ts';
import { useExecutors } from './support.ts';

const makeExecutor = useExecutors();
const makeDirectory = useDirectories();

/** In UTF-8, both halves become the same character, so the digests of these keys would be the same. */
const HALVES = ['user-\ud800', 'user-\ud801'] as const;

const REFUSAL = {
  code: 'OPTION_INVALID',
  message: expect.stringContaining('without halves of surrogate pairs'),
};

describe.each(HALVES)('a key with half of a surrogate pair', (key) => {
  it('is refused by an executor, before a session opens', async () => {
    const { executor, provider } = makeExecutor();
    expect(await refusalOf(executor.acquire({ sessionKey: key }))).toMatchObject(REFUSAL);
    expect(await refusalOf(executor.execute('1', { sessionKey: key }))).toMatchObject(REFUSAL);
    expect(await refusalOf(executor.sessionInfo({ key: key }))).toMatchObject(REFUSAL);
    expect(await refusalOf(executor.closeSession({ key: key }))).toMatchObject(REFUSAL);
    expect(provider.created.size).toBe(0);
  });

  it('is refused by a conversation and a code tool', () => {
    const { executor } = makeExecutor();
    expect(() => converse([], { sessionKey: key, executor })).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID' }),
    );
    expect(() => new CodeTool({ executor, tools: executor.tools, sessionKey: key })).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID' }),
    );
    const { orchestrator } = converse([], { executor });
    const document = structuredClone(orchestrator.toJSON()) as { session: { key: string } };
    document.session.key = key;
    expect(() => converse([], { conversation: document, executor })).toThrow(
      expect.objectContaining({ code: 'CONVERSATION_INVALID' }),
    );
  });

  it.each(STORES)('is refused by $name, which then has nothing of it', async ({ open }) => {
    const store = open(await makeDirectory());
    expect(await refusalOf(store.append({ key, entries: [ended('1')], after: 0 }))).toMatchObject(
      REFUSAL,
    );
    expect(await refusalOf(store.load({ key, after: 0 }))).toMatchObject(REFUSAL);
    expect(await refusalOf(store.remove(key))).toMatchObject(REFUSAL);
    expect(await refusalOf(store.hold({ key, ...NEVER }))).toMatchObject(REFUSAL);
    expect(await store.load({ key: 'user-\ufffd', after: 0 })).toEqual([]);
  });
});
