import { isRegExp } from 'node:util/types';
import { checkOptionNames, type OptionsObject } from '../../shared/options/option-names.ts';
import { checkOneOf, invalidOption } from '../../shared/options/option-values.ts';
import type { ContractSuite } from '../suite.ts';
import { calls } from './calls.ts';
import type { PolicyTestGroup } from './policy-test.ts';
import { programCalls } from './program-calls.ts';
import { WAY_PROGRAMS } from './programs.ts';
import type { Way } from './way.ts';
import { WayBench } from './way-bench.ts';

export const WAY: OptionsObject<Way> = {
  of: 'policySuite',
  names: {
    name: 'text',
    language: 'text',
    hasEvents: 'boolean',
    withoutApprover: true,
    open: 'function',
  },
  page: 'docs/testing.md',
  required: ['name', 'open'],
  otherWords: { events: 'hasEvents', create: 'open' },
};

/**
 * Makes the tests that each way to call tools must pass, for any test framework: the rules, limits, approvals, audit log and
 * events are the same on every way.
 * @throws PtcError `OPTION_INVALID`
 */
export function policySuite(way: Way): ContractSuite {
  checkOptionNames(way, WAY);
  const { language, withoutApprover } = way;
  if (language !== undefined) checkOneOf('language', language, Object.keys(WAY_PROGRAMS));
  if (withoutApprover !== undefined && !isRegExp(withoutApprover)) {
    throw invalidOption('withoutApprover', withoutApprover, 'a regular expression');
  }
  return suiteOfWay(way, policyGroups(way));
}

/** The groups of tests for a way. */
export function policyGroups(way: Way): readonly PolicyTestGroup[] {
  const { language } = way;
  return [calls(way), ...(language === undefined ? [] : [programCalls(language)])];
}

/** Makes the tests of these groups for a way. */
export function suiteOfWay(way: Way, groups: readonly PolicyTestGroup[]): ContractSuite {
  let bench: WayBench | undefined;
  const close = async (): Promise<void> => {
    const used = bench;
    bench = undefined;
    await used?.close();
  };
  const tests = groups.flatMap(({ name: group, tests: ofGroup }) =>
    ofGroup.map(({ title, run }) => ({
      ...{ group, title },
      run: async () => {
        bench ??= new WayBench(way);
        bench.shop.forget();
        await run(bench);
      },
    })),
  );
  return { name: way.name, tests, close, [Symbol.asyncDispose]: close };
}
