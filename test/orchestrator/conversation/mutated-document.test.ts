import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readConversation } from '../../../src/orchestrator/conversation/conversation-document.ts';
import { PtcError } from '../../../src/shared/errors.ts';
import { useExecutors } from '../../sessions/support.ts';
import { linkedImage, pdf, plainText, png } from '../../support/media.ts';
import { MemoryStore } from '../store/stores.ts';
import { converse, says } from '../support.ts';

const makeExecutor = useExecutors();

const DOCUMENT = {
  version: 1,
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Go.' }, png, linkedImage, pdf, plainText] },
    {
      role: 'assistant',
      model: 'scripted',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 's', redactedData: 'r' },
        { type: 'opaque', value: { type: 'server_tool_use' } },
        { type: 'text', text: 'I order.' },
        { type: 'tool-use', id: 'a', name: 'order', input: { item: 'desk', more: [1, null] } },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool-result', toolUseId: 'a', text: 'ordered', isError: false }],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
  ],
  usage: {
    inputTokens: 10,
    outputTokens: 20,
    cachedInputTokens: 5,
    cacheWriteInputTokens: 5,
    cacheWritesByTtl: { '5m': 3, '1h': 2 },
  },
  session: { key: 'mutated', hasState: true, stateId: 'state' },
};

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { value };
  return value;
}

/** Each gives a value of its own, since a further mutation may change it. */
const VALUES: readonly (() => unknown)[] = [
  ...[
    ...[null, true, 0, -1, 0.5, 2 ** 53, 1e308, '', ' ', 'a', '__proto__', [], {}, [null], [{}]],
    ...[{ type: 'text' }, { type: 'text', text: 'x' }, { length: 3 }],
    ...[{ toString: null, toJSON: 1 }, Number.MAX_SAFE_INTEGER, '\uD800'],
  ].map((value) => () => structuredClone(value)),
  ...[300, 3000, 100_000].map((depth) => () => nested(depth)),
];

/** The ways to all values in a value. */
function waysInto(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [[]];
  const inside = Object.entries(value).flatMap(([name, one]) =>
    waysInto(one).map((way) => [name, ...way]),
  );
  return [[], ...inside];
}

interface Mutation {
  readonly way: readonly string[];
  readonly change: 'replace' | 'remove' | 'repeat' | 'add';
  /** The index of a value: fast-check could not show one that is nested so deeply. */
  readonly valueIndex: number;
}

const mutations = fc.array(
  fc.record<Mutation>({
    way: fc.constantFrom(...waysInto(DOCUMENT)),
    change: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'repeat', 'add'),
    valueIndex: fc.nat(VALUES.length - 1),
  }),
  { minLength: 1, maxLength: 2 },
);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function mutate(document: unknown, { way, change, valueIndex }: Mutation): unknown {
  const value = VALUES[valueIndex]?.();
  const last = way.at(-1);
  if (last === undefined) return change === 'replace' ? value : document;
  let parent = document;
  for (const name of way.slice(0, -1)) parent = isObject(parent) ? parent[name] : undefined;
  // An earlier mutation may have put something else there.
  if (!isObject(parent)) return document;
  if (change === 'remove') delete parent[last];
  else if (change === 'replace') parent[last] = value;
  else if (change === 'add') parent['another'] = value;
  else if (Array.isArray(parent)) parent.push(parent[Number(last)]);
  return document;
}

describe('a document that was changed in any way', () => {
  it('is refused with a reason, or can be run, stored and read again', async () => {
    const { executor } = makeExecutor();
    let ran = 0;
    await fc.assert(
      fc.asyncProperty(mutations, async (changes) => {
        const conversation = changes.reduce<unknown>(mutate, structuredClone(DOCUMENT));
        try {
          readConversation(conversation);
        } catch (error) {
          expect(PtcError.isInstance(error) && error.code).toBe('CONVERSATION_INVALID');
          return;
        }
        ran += 1;
        const options = { conversation, executor, store: new MemoryStore() };
        const { orchestrator } = converse([says('Yes.'), says('Again.')], options);
        await orchestrator.run('Are you there?');
        await orchestrator.run('And now?');
        readConversation(JSON.parse(JSON.stringify(orchestrator)));
        const later = converse([], {
          ...options,
          conversation: undefined,
          sessionKey: sessionOf(orchestrator),
        });
        await later.orchestrator.load();
        expect(later.orchestrator.toJSON()).toEqual(JSON.parse(JSON.stringify(orchestrator)));
      }),
      { numRuns: 1500 },
    );
    expect(ran).toBeGreaterThan(50);
  });

  const sessionOf = ({ sessionKey }: { readonly sessionKey: string }): string => sessionKey;

  it.each<[string, unknown]>([
    ['null', null],
    ['a text', 'many'],
    ['a count that is none', { '5m': null }],
    ['a count too large to add to', { '5m': 1e308 }],
  ])('so that its tokens by time to live are %s is refused before the model is asked', (_, ttl) => {
    const conversation = structuredClone(DOCUMENT) as { usage: Record<string, unknown> };
    conversation.usage['cacheWritesByTtl'] = ttl;
    expect(() => readConversation(conversation)).toThrow(
      expect.objectContaining({ code: 'CONVERSATION_INVALID' }),
    );
  });
});
