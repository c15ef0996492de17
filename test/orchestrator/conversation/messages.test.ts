import { describe, expect, it } from 'vitest';
import type { ModelMessage } from '../../../src/models/language-model.ts';
import { scriptedModel } from '../../../src/models/scripted.ts';
import { ProgrammaticToolOrchestrator } from '../../../src/orchestrator/orchestrator.ts';
import { useExecutors } from '../../sessions/support.ts';
import { converse, runs, says } from '../support.ts';
import { uniqueKey } from '../../support/unique-key.ts';

const KEY = uniqueKey('conversation of ann');

const makeExecutor = useExecutors();

describe('messages that replace others', () => {
  it('are what the next run goes on from', async () => {
    const { orchestrator, requests } = converse([says('One.'), says('Two.')]);
    await orchestrator.run('A secret: 1234.');
    orchestrator.messages = orchestrator.messages.map((message) =>
      message.role === 'user'
        ? { ...message, content: [{ type: 'text' as const, text: 'A secret: [removed].' }] }
        : message,
    );
    await orchestrator.run('Go on.');
    expect(JSON.stringify(requests[1]?.messages)).not.toContain('1234');
    expect(requests[1]?.messages).toHaveLength(3);
  });

  const malformed = (content: readonly unknown[]): ModelMessage[] => [
    { role: 'user', content: content as never },
  ];
  const text = { type: 'text', text: 'x' } as const;
  const call = { type: 'tool-use', id: 'a', name: 'order', input: {} } as const;
  const result = { type: 'tool-result', toolUseId: 'a', text: 'x', isError: false } as const;
  it.each<[string, ModelMessage[], string]>([
    ['begin with an answer', [{ role: 'assistant', content: [text] }], 'user first'],
    [
      'have two requests after each other',
      [
        { role: 'user', content: [text] },
        { role: 'user', content: [text] },
      ],
      'messages[1]',
    ],
    [
      'have a call without its result',
      [
        { role: 'user', content: [text] },
        { role: 'assistant', content: [call] },
        { role: 'user', content: [text] },
      ],
      'the call "a", whose result is not in the next message',
    ],
    [
      'end with a call',
      [
        { role: 'user', content: [text] },
        { role: 'assistant', content: [call] },
      ],
      'the call "a"',
    ],
    [
      'have a result without its call',
      [{ role: 'user', content: [result] }],
      'no call with this id',
    ],
    ['have a block of no kind', malformed([{ type: 'video' }]), 'type'],
    ['have a text that is none', malformed([{ type: 'text', text: 5 }]), 'text'],
    ['have a role of no kind', [{ role: 'system', content: [text] }] as never, 'role'],
    ['have a message without content', [{ role: 'user' }] as never, 'content'],
    ['say nothing', malformed([{ type: 'text', text: ' \n' }]), 'messages[0] is empty'],
    ['are no list', 'Hi.' as never, 'messages'],
    ['are null', null as never, 'messages'],
    [
      'have two calls with one id',
      [
        { role: 'user', content: [text] },
        { role: 'assistant', content: [call, call] },
        { role: 'user', content: [result] },
      ],
      'two calls with the same id',
    ],
  ])('are refused if they %s', (_, messages, why) => {
    const { orchestrator } = converse([]);
    expect(() => {
      orchestrator.messages = messages;
    }).toThrow(
      expect.objectContaining({
        code: 'CONVERSATION_INVALID',
        message: expect.stringContaining(why),
      }),
    );
    expect(orchestrator.messages).toEqual([]);
    expect(() => new ProgrammaticToolOrchestrator({ model: scriptedModel([]), messages })).toThrow(
      expect.objectContaining({ code: 'CONVERSATION_INVALID' }),
    );
  });

  it('are copied, so later changes to the objects have no effect', async () => {
    const { orchestrator, requests } = converse([says('Yes.')]);
    const block = { type: 'text' as const, text: 'As it was.' };
    const messages: ModelMessage[] = [{ role: 'user', content: [block] }];
    orchestrator.messages = messages;
    block.text = 'Changed.';
    messages.push({ role: 'assistant', content: [call] });
    await orchestrator.run('Go on.');
    expect(JSON.stringify(requests[0]?.messages)).toContain('As it was.');
    expect(requests[0]?.messages).toHaveLength(1);
  });

  it('cannot be set during a run, which would write over them', async () => {
    let refusal: unknown;
    const { orchestrator } = converse([says('One.')], {
      prepareTurn: () => {
        try {
          orchestrator.messages = [];
        } catch (error) {
          refusal = error;
        }
      },
    });
    await orchestrator.run('Go.');
    expect(refusal).toMatchObject({ code: 'CONVERSATION_BUSY' });
    expect(orchestrator.messages).toHaveLength(2);
    orchestrator.messages = [];
    expect(orchestrator.messages).toEqual([]);
  });
});

describe('messages that a conversation begins with', () => {
  const request = { role: 'user', content: [{ type: 'text', text: 'Hi.' }] } as const;

  it('go to the model with the first run, and are copied', async () => {
    const messages: ModelMessage[] = [request, { role: 'assistant', content: says('Hello.') }];
    const { orchestrator, requests } = converse([says('Yes.')], { messages });
    messages.pop();
    expect(orchestrator.messages).toHaveLength(2);
    await orchestrator.run('Are you there?');
    expect(requests[0]?.messages).toHaveLength(3);
    expect(orchestrator.usage.inputTokens).toBeGreaterThan(0);
  });

  it('find the variables of their programs under the key, or have the model told that they are gone', async () => {
    const { executor } = makeExecutor();
    const options = { executor, sessionKey: KEY };
    const first = converse([runs('x = 41'), says('Set.')], options);
    const { messages } = await first.orchestrator.run('Set x.');
    const look = [runs('print("x" in globals())', 'b'), says('Looked.')];
    const next = converse(look, { ...options, messages });
    await next.orchestrator.run('Is it there?');
    expect(next.results(1)).toEqual([{ text: 'True', isError: false }]);
    await executor.closeAllSessions();
    const last = converse(look, { ...options, messages });
    await last.orchestrator.run('Is it there?');
    expect(last.results(1)[0]?.text).toMatch(/^False\n.*variables of earlier programs are gone/s);
  });

  it('cannot be given beside a document', () => {
    const { orchestrator } = converse([]);
    const both = { messages: [request], conversation: orchestrator.toJSON() };
    expect(() => converse([], both)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });

  it('are not those of its forks, which go on from where it is', async () => {
    const { orchestrator } = converse([says('Yes.')], { messages: [request] });
    await orchestrator.run('Are you there?');
    await using fork = orchestrator.fork({ model: scriptedModel([]) });
    expect(fork.messages).toEqual(orchestrator.messages);
  });
});
