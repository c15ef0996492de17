import { describe, expect, test } from 'vitest';
import { bash } from '../../src/languages/bash/bash.ts';
import { python } from '../../src/languages/python/python.ts';
import { toTool } from '../../src/tools/define-tool.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { costOfGrowth, LINEAR } from '../fuzz/judgements.ts';
import { readParameters } from '../support/read-parameters.ts';

function requiring(required: readonly string[]): Tool {
  return toTool({
    name: 'tool',
    description: 'Does it.',
    inputSchema: { type: 'object', required: [...required] },
    run: () => 1,
  });
}

/** Different names, which all become `__`: no language has these characters in names. */
function similarNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    String.fromCodePoint(0x25_00 + (index % 256), 0x25_00 + Math.floor(index / 256)),
  );
}

describe('parameters whose names become the same', () => {
  test.for([python, bash])('are numbered in $name', (language) => {
    const [stub] = language.stubs([requiring(['──', '══', '━━', '--'])]);
    const identifiers = readParameters(stub).map(({ identifier }) => identifier);
    expect(identifiers).toEqual(['__', '___2', '___3', '___4']);
  });

  test.for([python, bash])(
    'cost a time that grows with their number in $name',
    async ({ stubs }) => {
      const cost = await costOfGrowth(400, (count) => stubs([requiring(similarNames(count))]));
      expect(cost).toBeLessThan(LINEAR);
    },
  );
});
