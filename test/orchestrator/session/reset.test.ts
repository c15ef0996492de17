import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { codeTool } from '../../../src/orchestrator/code/code-tool.ts';
import type { Executor } from '../../../src/sessions/executor.ts';
import { useExecutors } from '../../sessions/support.ts';
import { MemoryStore } from '../store/stores.ts';
import { texts } from '../store/shop.ts';
import { type Conversation, converse, refusalOf, runs, says } from '../support.ts';
import { uniqueKey } from '../../support/unique-key.ts';

const SHARED = uniqueKey('shared');

const makeExecutor = useExecutors();

const IS_THERE = 'print("secret" in globals())';
const SET = [runs('secret = 1', 'set'), says('Set.')];
const LOOK = [runs(IS_THERE, 'look'), says('Looked.')];

describe('a conversation that is reset', () => {
  const settings = (executor: Executor, store?: MemoryStore) => ({
    executor,
    sessionKey: randomUUID(),
    ...(store && { store }),
  });

  /** Asks what an orchestrator of its own finds, as a server makes one for each message. */
  async function found(options: ReturnType<typeof settings>): Promise<string | undefined> {
    const { orchestrator, results } = converse(LOOK, options);
    await orchestrator.run('Is it there?');
    return results(1)[0]?.text;
  }

  it('has no session left, also if another orchestrator of the key opened it', async () => {
    const { executor } = makeExecutor();
    const store = new MemoryStore();
    const options = settings(executor, store);
    const first = converse(SET, options).orchestrator;
    await first.run('Set it.');
    await first.close();
    expect(executor.activeSessions).toHaveLength(1);

    const second = converse([], options).orchestrator;
    await second.resetConversation();
    await second.close();
    expect(executor.activeSessions).toEqual([]);
    expect(second.messages).toEqual([]);
    expect(store.entries.findLast(({ type }) => type === 'messages')).toMatchObject({
      messages: [],
      hasState: false,
    });
    // Nothing is said of variables that belong to what was forgotten.
    expect(await found(options)).toBe('False');
  });

  it('stays as it is if another executor uses its session, and the error says so', async () => {
    const [mine, other] = [makeExecutor().executor, makeExecutor().executor];
    const store = new MemoryStore();
    const options = settings(mine, store);
    const { orchestrator } = converse(SET, options);
    await orchestrator.run('Set it.');
    const entries = [...store.entries];
    const user = await mine.acquire({ sessionKey: options.sessionKey });
    const elsewhere = converse([], { ...options, executor: other }).orchestrator;
    expect(await refusalOf(elsewhere.resetConversation())).toMatchObject({ code: 'SESSION_HELD' });
    expect(store.entries).toEqual(entries);
    expect(texts(elsewhere.messages)).toContain('Set.');
    expect(await found(options)).toBe('True');
    // It is asked for again when the other one is done.
    await user.release();
    await elsewhere.resetConversation();
    expect(elsewhere.messages).toEqual([]);
    expect(mine.activeSessions).toEqual([]);
  });

  it('is not forgotten if its store fails, but its session has ended, and the model is told so', async () => {
    const { executor } = makeExecutor();
    const store = new MemoryStore();
    const options = settings(executor, store);
    const { orchestrator } = converse([...SET, ...LOOK], options);
    await orchestrator.run('Set it.');
    const before = orchestrator.messages;
    store.beforeAppend = () => {
      throw new Error('the disk is full');
    };
    expect(await refusalOf(orchestrator.resetConversation())).toMatchObject({
      code: 'STORE_FAILED',
    });
    expect(executor.activeSessions).toEqual([]);
    expect(orchestrator.messages).toEqual(before);
    store.beforeAppend = () => {};
    // The same as if the process had been killed before it wrote.
    expect(await found(options)).toMatch(/^False\n.*variables of earlier programs are gone/s);
    await orchestrator.resetConversation();
    expect(await found(options)).toBe('False');
  });

  it('has its session ended before its messages are forgotten', async () => {
    const { executor } = makeExecutor();
    const store = new MemoryStore();
    const options = settings(executor, store);
    const { orchestrator } = converse(SET, options);
    await orchestrator.run('Set it.');
    const sessions: number[] = [];
    store.beforeAppend = () => sessions.push(executor.activeSessions.length);
    await orchestrator.resetConversation();
    expect(sessions[0]).toBe(0);
  });

  it('by a code tool that ran nothing itself has no session left either', async () => {
    const { executor } = makeExecutor();
    await executor.execute('secret = 1', { sessionKey: SHARED });
    const tool = codeTool({ executor, sessionKey: SHARED });
    await tool.reset();
    expect(executor.activeSessions).toEqual([]);
    expect(
      (await codeTool({ executor, sessionKey: SHARED }).execute({ code: IS_THERE })).text,
    ).toBe('False');
  });

  it.each([
    ['', undefined],
    [' and has a store', new MemoryStore()],
  ])('after it was closed%s stays as it is, and the error says so', async (_, store) => {
    const { executor } = makeExecutor();
    const options = settings(executor, store);
    const { orchestrator } = converse(SET, options);
    await orchestrator.run('Set it.');
    const { messages } = orchestrator;
    const entries = store && [...store.entries];
    await orchestrator.close();
    expect(await refusalOf(orchestrator.resetConversation())).toMatchObject({ code: 'CLOSED' });
    expect(orchestrator.messages).toEqual(messages);
    expect(store?.entries).toEqual(entries);
    expect(executor.activeSessions).toHaveLength(1);
  });

  it('cannot have its messages set meanwhile', async () => {
    const { executor } = makeExecutor();
    const store = new MemoryStore();
    const { orchestrator } = converse(SET, settings(executor, store));
    await orchestrator.run('Set it.');
    let refusal: unknown;
    store.beforeAppend = () => {
      try {
        orchestrator.messages = [];
      } catch (error) {
        refusal = error;
      }
    };
    await orchestrator.resetConversation();
    expect(refusal).toMatchObject({ code: 'CONVERSATION_BUSY' });
  });
});

describe('a session that another user of its key reset', () => {
  const GONE = /^False\n.*variables of earlier programs are gone/s;

  async function reset(executor: Executor, key: string, code?: string): Promise<void> {
    await using session = await executor.acquire({ sessionKey: key });
    await session.reset();
    if (code !== undefined) await session.execute(code);
  }

  /** A conversation during whose run somebody else does something between two programs. */
  function interrupted(
    executor: Executor,
    key: string,
    meanwhile: () => Promise<void>,
  ): Conversation {
    let turn = 0;
    const program = (code: string, id: string) => runs(code, id);
    return converse([program('secret = 1', 'a'), program(IS_THERE, 'b'), says('Done.')], {
      executor,
      sessionKey: key,
      prepareTurn: async () => {
        turn += 1;
        if (turn === 2) await meanwhile();
      },
    });
  }

  it.each([
    ['', undefined],
    [' and used', 'theirs = 1'],
  ])('during a run is new%s to the model, which is told', async (_, code) => {
    const { executor } = makeExecutor();
    const key = randomUUID();
    const { orchestrator, results } = interrupted(executor, key, () => reset(executor, key, code));
    await orchestrator.run('Go.');
    expect(results(2)[0]?.text).toMatch(GONE);
  });

  it.each([
    ['', undefined],
    [' and used', 'theirs = 1'],
  ])('between two messages is new%s to the model, which is told once', async (_, code) => {
    const { executor } = makeExecutor();
    const key = randomUUID();
    const store = new MemoryStore();
    const options = { executor, sessionKey: key, store };
    await converse(SET, options).orchestrator.run('Set it.');
    await reset(executor, key, code);
    const next = converse([...LOOK, ...LOOK], options);
    await next.orchestrator.run('Is it there?');
    expect(next.results(1)[0]?.text).toMatch(GONE);
    const last = converse(LOOK, options);
    await last.orchestrator.run('And now?');
    expect(last.results(1)[0]?.text).toBe('False');
  });

  it('is told of by a document of the conversation too', async () => {
    const { executor } = makeExecutor();
    const key = randomUUID();
    const first = converse(SET, { executor, sessionKey: key });
    await first.orchestrator.run('Set it.');
    await reset(executor, key, 'theirs = 1');
    const conversation = JSON.parse(JSON.stringify(first.orchestrator));
    const next = converse(LOOK, { executor, conversation });
    await next.orchestrator.run('Is it there?');
    expect(next.results(1)[0]?.text).toMatch(GONE);
  });
});
