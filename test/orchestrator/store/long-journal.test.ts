import { describe, expect, it } from 'vitest';
import type { ConversationEntry } from '../../../src/orchestrator/store/conversation-store.ts';
import { NO_USAGE } from '../../../src/models/token-usage.ts';
import { uniqueKey } from '../../support/unique-key.ts';
import { converse, refusalOf, says } from '../support.ts';
import { texts } from './shop.ts';
import { entriesWithCalls, STORES, useDirectories } from './stores.ts';

const makeDirectory = useDirectories();

describe.each(STORES)('a conversation of many calls in $name', ({ open }) => {
  it('is loaded without the calls that its messages tell of, and goes on', async () => {
    const store = open(await makeDirectory());
    const session = uniqueKey('long');
    const entries = entriesWithCalls(3);
    await store.append({ key: session, entries, after: 0 });
    const calls = Array.from({ length: 6 }, () => null);
    const around = [entries[0], ...calls, ...entries.slice(-2)];
    expect(await store.load({ key: session, after: 0 })).toEqual(around);
    expect(await store.load({ key: session, after: 2 })).toEqual(around.slice(2));
    const { orchestrator } = converse([says('Again.')], { sessionKey: session, store });
    await orchestrator.load();
    await orchestrator.run('More.');
    const later = converse([], { sessionKey: session, store }).orchestrator;
    await later.load();
    expect(texts(later.messages)).toBe('Go.\nDone.\nMore.\nAgain.');
  });

  it('tells of the calls after its last messages, which a process that ended left', async () => {
    const store = open(await makeDirectory());
    const session = uniqueKey('open');
    const use = { type: 'tool-use', id: 'p', name: 'execute_code', input: { code: '1' } } as const;
    const entries = entriesWithCalls(2).slice(0, -2);
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
      { role: 'assistant', content: [use] },
    ] as const;
    const [began, ...calls] = entries;
    await store.append({
      key: session,
      entries: [
        ...(began ? [began] : []),
        { type: 'messages', runId: 'r', from: 0, messages, usage: NO_USAGE, hasState: false },
        ...calls,
      ],
      after: 0,
    });
    const { orchestrator } = converse([], { sessionKey: session, store });
    await orchestrator.load();
    expect(JSON.stringify(orchestrator.messages)).toContain('act');
  });

  it('goes on where it was read in the middle of a program, when another process has answered since', async () => {
    const store = open(await makeDirectory());
    const session = uniqueKey('shared');
    const [began, call, ...rest] = entriesWithCalls(1);
    const known = [began, call].filter((entry) => entry !== undefined);
    await store.append({ key: session, entries: known, after: 0 });
    const { orchestrator } = converse([says('Again.')], { sessionKey: session, store });
    await orchestrator.load();
    expect(texts(orchestrator.messages)).toContain('act(');
    await store.append({ key: session, entries: rest, after: known.length });
    await orchestrator.run('More.');
    expect(texts(orchestrator.messages)).toBe('Go.\nDone.\nMore.\nAgain.');
  });

  it('has lists of messages that do not change when it goes on', async () => {
    const store = open(await makeDirectory());
    const session = uniqueKey('lists');
    await store.append({ key: session, entries: entriesWithCalls(1), after: 0 });
    const reader = converse([], { sessionKey: session, store }).orchestrator;
    await reader.load();
    const { messages } = reader;
    await converse([says('Again.')], { sessionKey: session, store }).orchestrator.run('More.');
    await reader.load();
    expect(texts(messages)).toBe('Go.\nDone.');
    expect(texts(reader.messages)).toBe('Go.\nDone.\nMore.\nAgain.');
  });

  it('is refused if an entry before its last messages is not one', async () => {
    const store = open(await makeDirectory());
    const session = uniqueKey('broken');
    const entries = entriesWithCalls(1);
    const broken = { type: 'run-ended', runId: 5, occurredAtMs: 1 } as unknown as ConversationEntry;
    await store.append({
      key: session,
      entries: [...entries.slice(0, 1), broken, ...entries.slice(1)],
      after: 0,
    });
    const { orchestrator } = converse([], { sessionKey: session, store });
    expect(await refusalOf(orchestrator.load())).toMatchObject({ code: 'CONVERSATION_INVALID' });
  });
});
