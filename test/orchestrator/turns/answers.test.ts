import { describe, expect, it } from 'vitest';
import type { LanguageModel, ModelStreamEnd } from '../../../src/models/language-model.ts';
import { readConversation } from '../../../src/orchestrator/conversation/conversation-document.ts';
import { converse, refusalOf, says } from '../support.ts';
import { MemoryStore } from '../store/stores.ts';

const usage = { inputTokens: 3, outputTokens: 2, cachedInputTokens: 0 };

/** A model whose adapter gives these ends, one after the other. */
function modelOf(...ends: unknown[]): LanguageModel {
  return {
    id: 'mine',
    async *stream() {
      yield ends.shift() as ModelStreamEnd;
    },
  };
}

const end = (content: unknown, more: object = {}): unknown => ({
  type: 'answer-ended',
  content,
  stopReason: 'end',
  rawStopReason: 'end',
  usage,
  ...more,
});

function nested(depth: number): unknown {
  return depth === 0 ? 1 : [nested(depth - 1)];
}

describe('an answer that its adapter made wrong', () => {
  it.each([
    ['no list', undefined, /content/],
    ['a text', 'Hi.', /content/],
    ['an unknown block', [{ type: 'song' }], /content\[0\]/],
    ['a text that is none', [{ type: 'text', text: 5 }], /content\[0\].text.*string/],
    ['an id that is not text', [{ type: 'tool-use', id: 5, name: 'a', input: {} }], /\.id.*string/],
    ['nested too deep', [{ type: 'opaque', value: { deep: nested(600) } }], /levels deep/],
    ['thinking without its signature', [{ type: 'thinking', thinking: '' }], /signature/],
  ])('is not kept: %s', async (_, content, message) => {
    const store = new MemoryStore();
    const model = modelOf(end(content), end(says('Yes.')));
    const { orchestrator } = converse([], { model, store });
    expect(await refusalOf(orchestrator.run('Go.'))).toMatchObject({
      code: 'MODEL_ANSWER_INVALID',
      message: expect.stringMatching(
        new RegExp(`^The answer of mine cannot be used: .*${message.source}`),
      ),
    });
    expect((await orchestrator.run('Again.')).text).toBe('Yes.');
    readConversation(JSON.parse(JSON.stringify(orchestrator)));
    const later = converse([], { store }).orchestrator;
    await later.load();
    expect(later.messages).toHaveLength(2);
  });

  const noNames = { cacheWritesByTtl: null, answersByServiceTier: 'flex' };
  it.each([
    undefined,
    {},
    { inputTokens: 'many', outputTokens: -1, cachedInputTokens: 0.5 },
    noNames,
  ])('counts as nothing where it says %j', async (wrong) => {
    const model = modelOf(end(says('Yes.'), { usage: wrong }), end(says('Yes.')));
    const { orchestrator } = converse([], { model });
    const none = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
    expect((await orchestrator.run('Go.')).usage).toEqual(none);
    expect((await orchestrator.run('Go.')).usage).toEqual(usage);
    readConversation(JSON.parse(JSON.stringify(orchestrator)));
  });
});
