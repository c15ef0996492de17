import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { assertMatches } from '../../src/testing/assert-matches.ts';
import { checkRan } from '../../src/testing/policy/check-call.ts';
import { originIn, originOf } from '../../src/testing/policy/entries.ts';
import type { PolicyTestGroup } from '../../src/testing/policy/policy-test.ts';

const RUNNER_PARTS = new URL('../security/preludes/runner-parts.py', import.meta.url);

/**
 * A program in Python that sends a call as hostile code can: without the checks of the runner, and
 * whether or not programs have a function for the tool. It prints the result, or the type of the error.
 */
function forgedCall(tool: string, input: object): string {
  const [name, text] = [JSON.stringify(tool), JSON.stringify(JSON.stringify(input))];
  return `${readFileSync(RUNNER_PARTS, 'utf8')}\nprint(await ask_raw(${name}, ${text}))`;
}

/** Calls that programs in Python cannot make with their functions. */
export function forgedCalls(): PolicyTestGroup {
  const forged = [
    ['shop:none', { amount: 1 }, 'UnknownTool'],
    ['only_direct', { amount: 1 }, 'NotAllowed'],
    ['shop:pay', { amount: 'x' }, 'InvalidArguments'],
    ['shop:close', { amount: 1 }, 'Denied'],
  ] as const;
  return {
    name: 'forged calls',
    tests: forged.map(([tool, input, type]) => ({
      title: `a call of ${tool} that hostile code forges does not run`,
      run: async (bench) => {
        const { shop, caller } = bench;
        const { told } = await bench.run(forgedCall(tool, input));
        assert.equal(told, type);
        checkRan(bench, []);
        const ended = shop.entries.find((entry) => entry.type === 'tool-call-ended');
        assertMatches(ended, { toolName: tool, caller, outcome: type, arguments: input });
        assert.deepEqual(originIn(ended), originOf(shop.entries, caller));
      },
    })),
  };
}
