import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../../../src/models/scripted.ts';
import {
  CONVERSATION_SCHEMA,
  readConversation,
} from '../../../src/orchestrator/conversation/conversation-document.ts';
import { ProgrammaticToolOrchestrator } from '../../../src/orchestrator/orchestrator.ts';
import type { RunEvent } from '../../../src/orchestrator/events/run-events.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import type { ToolDefinition } from '../../../src/tools/define-tool.ts';
import { useExecutors } from '../../sessions/support.ts';
import { converse, refusalOf, runs, says, uses } from '../support.ts';

const makeExecutor = useExecutors();

describe('a conversation as a document', () => {
  it('goes on in another orchestrator, with its session if that is still there', async () => {
    const { executor } = makeExecutor();
    const first = converse([runs('x = 41'), says('Set.')], { executor });
    await first.orchestrator.run('Set x.');
    const text = JSON.stringify(first.orchestrator);
    const { orchestrator, results } = converse([runs('print(x + 1)', 'b'), says('42.')], {
      executor,
      conversation: JSON.parse(text),
    });
    expect(JSON.stringify(orchestrator)).toBe(text);
    const { messages } = await orchestrator.run('And one more?');
    expect(results(1)).toEqual([{ text: '42', isError: false }]);
    expect(messages).toHaveLength(8);
    expect(orchestrator.usage.outputTokens).toBeGreaterThan(first.orchestrator.usage.outputTokens);
  });

  it('tells the model that its variables are gone if the session is', async () => {
    const first = converse([runs('x = 41'), says('Set.')]);
    await first.orchestrator.run('Set x.');
    const conversation = first.orchestrator.toJSON();
    await first.orchestrator.close();
    const { orchestrator, results } = converse(
      [runs('print("x" in globals())', 'b'), says('Gone.')],
      { conversation },
    );
    await orchestrator.run('Is it there?');
    expect(results(1)[0]?.text).toMatch(/^False\n.*variables of earlier programs are gone/s);
  });

  it('says that the outcome of a call in progress is unknown', async () => {
    const entered = createDeferred<void>();
    const gate = createDeferred<void>();
    const order = {
      name: 'order',
      description: 'Orders.',
      allowedCallers: ['direct' as const],
      run: async () => {
        entered.resolve();
        await gate.promise;
      },
    };
    const { orchestrator } = converse([[uses('order', {})], says('Done.')], { toolList: [order] });
    const running = orchestrator.run('Order.');
    await entered.promise;
    const document = readConversation(JSON.parse(JSON.stringify(orchestrator)));
    expect(document.messages).toHaveLength(3);
    expect(document.messages[2]?.content).toEqual([
      {
        type: 'tool-result',
        toolUseId: 'order',
        text: '[The conversation was saved while this was under way.]\norder({}): it is not known whether this was done',
        isError: true,
      },
    ]);
    gate.resolve();
    await running;
    expect(orchestrator.toJSON().messages).toEqual(orchestrator.messages);
    expect(orchestrator.messages).toHaveLength(4);
  });

  it('has what is known of the calls of an answer that is under way', async () => {
    const entered = createDeferred<void>();
    const noted = createDeferred<void>();
    const gate = createDeferred<void>();
    const tool = (name: string, run: () => unknown): ToolDefinition => {
      return { name, description: 'Does it.', allowedCallers: ['code', 'direct'], run };
    };
    const toolList = [
      tool('note', () => 'noted'),
      tool('order', async () => {
        entered.resolve();
        await gate.promise;
      }),
    ];
    const turn = [
      uses('note', {}),
      ...runs('await note()\nawait order()', 'one'),
      ...runs('await order()', 'two'),
    ];
    const { orchestrator } = converse([turn, says('Done.')], { toolList });
    const onEvent = (event: RunEvent): void => {
      if (event.type === 'tool-call-ended' && event.caller === 'direct') noted.resolve();
    };
    const running = orchestrator.run('Order.', { onEvent });
    await Promise.all([entered.promise, noted.promise]);
    const results = (): unknown =>
      readConversation(JSON.parse(JSON.stringify(orchestrator))).messages[2]?.content;
    const saved = '[The conversation was saved while this was under way.';
    // The answer of the direct call is there soon after its event.
    await expect.poll(results).toMatchObject([
      { text: '"noted"', isError: false },
      {
        text: `${saved} The tool calls that it had made:]\nnote({}): done, "noted"\norder({}): it is not known whether this was done`,
        isError: true,
      },
      { text: `${saved} It had made no tool calls.]`, isError: true },
    ]);
    gate.resolve();
    await running;
  });

  it('has the schema that the documentation shows', async () => {
    const shown = await readFile('docs/conversation.schema.json', 'utf8');
    expect(JSON.parse(shown)).toEqual(CONVERSATION_SCHEMA);
    const { orchestrator } = converse([runs('x = 1'), uses1(), says('Done.')]);
    await orchestrator.run('Go.');
    const isValid = new Ajv2020({ strict: false }).compile(CONVERSATION_SCHEMA);
    expect(isValid(JSON.parse(JSON.stringify(orchestrator)))).toBe(true);
  });

  const uses1 = () => [uses('nothing_of_this_name', undefined, 'u')];

  const good = {
    version: 1,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }],
    usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0 },
    session: { key: 'k', hasState: false },
  };
  const cyclic: Record<string, unknown> = { ...good };
  cyclic['messages'] = [cyclic];

  it.each<[string, unknown, string]>([
    ['nothing', null, 'null'],
    ['a newer version', { ...good, version: 2 }, 'its version is 2'],
    ['no version', { ...good, version: undefined }, 'version'],
    ['a cycle', cyclic, 'it is not a JSON value'],
    ['another role', { ...good, messages: [{ role: 'system', content: [] }] }, 'role'],
    ['a block of no kind', changed([{ type: 'video' }]), 'type'],
    ['a text that is none', changed([{ type: 'text', text: 5 }]), 'text'],
    ['an image without its data', changed([{ type: 'image', mediaType: 'image/png' }]), 'data'],
    [
      'an image that is none',
      changed([{ type: 'image', mediaType: 'image/png', data: 'AAAA' }]),
      'messages[0].content[0]: its data does not begin like image/png',
    ],
    ['a field too many', { ...good, admin: true }, 'admin'],
    ['a session without a key', { ...good, session: { key: '', hasState: true } }, 'session.key'],
    ['counts that are none', { ...good, usage: { ...good.usage, inputTokens: -1 } }, 'inputTokens'],
    ['lists that lie in one another too deep', changed([nested(500)]), 'more than 500 levels deep'],
    ['an empty message', changed([]), 'messages[0] is empty'],
    ['a prototype', JSON.parse('{"__proto__":{"version":1}}'), 'version'],
  ])('with %s is refused, and the error says why', async (_, conversation, why) => {
    const error = await refusalOf(
      (async () => new ProgrammaticToolOrchestrator({ model: scriptedModel([]), conversation }))(),
    );
    expect(error.code).toBe('CONVERSATION_INVALID');
    expect(error.message).toContain(why);
    expect(error.message.length).toBeLessThan(1500);
  });

  function nested(depth: number): unknown {
    return depth === 0 ? 'x' : [nested(depth - 1)];
  }

  function changed(content: readonly unknown[]): object {
    return { ...good, messages: [{ role: 'user', content }] };
  }
});

describe('a fork of a conversation', () => {
  it('goes on from the same messages with the same tools, and neither sees the other', async () => {
    const { executor } = makeExecutor();
    const { orchestrator } = converse([runs('x = 1'), says('Set.'), says('Mine.')], {
      executor,
    });
    orchestrator.registerTool({ name: 'extra', description: 'Of both.', run: () => 1 });
    await orchestrator.run('Set x.');
    const model = scriptedModel([runs('print("x" in globals())', 'b'), says('Gone.')]);
    await using fork = orchestrator.fork({ model });
    expect(fork.messages).toEqual(orchestrator.messages);
    expect(fork.tools.get('extra')).toBeDefined();
    expect(fork.sessionKey).not.toBe(orchestrator.sessionKey);
    const { messages } = await fork.run('Is it there?');
    expect(JSON.stringify(messages)).toContain('variables of earlier programs are gone');
    expect(orchestrator.messages).toHaveLength(4);
    await orchestrator.run('And here?');
    expect(JSON.stringify(orchestrator.messages)).not.toContain('Is it there?');
  });

  it.each(['conversation', 'messages'])('refuses other %s', (name) => {
    const { orchestrator } = converse([]);
    expect(() => orchestrator.fork({ [name]: [] })).toThrow(`fork has no option ${name}.`);
  });
});
