import { array, assert, constantFrom, property } from 'fast-check';
import { expect, test } from 'vitest';
import type { AssistantBlock, ModelMessage } from '../../../src/models/language-model.ts';
import { identifyToolUses } from '../../../src/orchestrator/conversation/tool-use-ids.ts';
import { says, uses } from '../support.ts';

const ids = array(constantFrom('', 'a', 'b', 'c'), { maxLength: 5 });

function callsOf(content: readonly AssistantBlock[]): string[] {
  return content.flatMap((block) => (block.type === 'tool-use' ? [block.id] : []));
}

test('over any conversation every call has an id of its own, and only repeats are not made', () => {
  assert(
    property(array(ids, { maxLength: 5 }), (answers) => {
      const history: ModelMessage[] = [];
      for (const answer of answers) {
        const content = answer.map((id, at) => uses('tool', { at }, id));
        const { content: identified, repeats } = identifyToolUses(content, history);
        history.push({ role: 'assistant', content: identified });
        const repeated = answer.map((id, at) => id !== '' && answer.indexOf(id) < at);
        expect(callsOf(identified).map((id) => repeats.has(id))).toEqual(repeated);
        expect(identified.map((block) => block.type === 'tool-use' && block.input)).toEqual(
          answer.map((_id, at) => ({ at })),
        );
      }
      const all = history.flatMap(({ role, content }) =>
        role === 'assistant' ? callsOf(content) : [],
      );
      expect(new Set(all).size).toBe(all.length);
      expect(all).not.toContain('');
    }),
  );
});

test('a unique id stays the same, and so does text', () => {
  const content = [...says('Both.'), uses('tool', {}, 'x'), uses('tool', {}, 'y')];
  expect(identifyToolUses(content, [])).toEqual({ content, repeats: new Set() });
});
