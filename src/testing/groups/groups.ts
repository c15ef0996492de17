import type { Kill, TestGroup } from '../test-definition.ts';
import { budgets } from './budgets.ts';
import { ends } from './ends.ts';
import { isolation } from './isolation.ts';
import { limits } from './limits.ts';
import { output, outputLimits } from './output.ts';
import { policy } from './policy.ts';
import { programs } from './programs.ts';
import { sessions } from './sessions.ts';
import { toolFailures } from './tool-failures.ts';
import { tools } from './tools.ts';
import { values } from './values.ts';

/** All groups of tests, with what they keep made anew. */
export function testGroups(kill: Kill | undefined): readonly TestGroup[] {
  return [
    programs(),
    output(),
    outputLimits(),
    values(),
    tools(),
    toolFailures(),
    policy(),
    budgets(),
    limits(),
    ends(kill),
    sessions(),
    isolation(),
  ];
}
