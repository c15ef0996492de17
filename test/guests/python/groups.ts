import { inOneSession, type TestGroup } from '../../../src/testing/test-definition.ts';
import { pythonEnds } from './programs/ends.ts';
import { pythonErrors } from './programs/errors.ts';
import { pythonLimits, pythonOutputLimits } from './programs/limits.ts';
import { pythonModules } from './programs/modules.ts';
import { pythonOpenFiles } from './programs/open-files.ts';
import { pythonOutput } from './programs/output.ts';
import { pythonPrograms } from './programs/programs.ts';
import { pythonSlips } from './programs/slips.ts';
import { pythonImages } from './programs/images.ts';
import { pythonOutputs } from './programs/outputs.ts';
import { limitsOfValues, pythonValues } from './programs/values.ts';
import { asyncio } from './tools/asyncio.ts';
import { pythonBudgets } from './tools/budgets.ts';
import { pythonPolicy } from './tools/policy.ts';
import { leftInLoop } from './tools/left-in-loop.ts';
import { pythonHeld } from './tools/held.ts';
import { threads } from './tools/threads.ts';
import { pythonToolResults } from './tools/tool-results.ts';
import { pythonSources } from './tools/sources.ts';
import { pythonTools } from './tools/tools.ts';
import { givenUpCalls } from './tools/given-up-calls.ts';
import { pythonWaiting } from './tools/waiting.ts';

/** Makes the tests of the guest for Python. Each call makes new ones, because groups have a state. */
export function pythonGroups(): readonly TestGroup[] {
  return [
    ...inOneSession(
      pythonPrograms(),
      pythonErrors(),
      pythonSlips(),
      pythonOutput(),
      pythonValues(),
      pythonImages(),
      pythonOutputs(),
      pythonOpenFiles(),
      asyncio(),
      leftInLoop(),
      givenUpCalls(),
      pythonWaiting(),
      pythonHeld(),
      threads(),
      pythonLimits(),
      pythonEnds(),
    ),
    // Its programs replace all modules.
    pythonModules(),
    pythonTools(),
    pythonSources(),
    // These have limits of their own.
    pythonOutputLimits(),
    limitsOfValues(),
    pythonToolResults(),
    pythonPolicy(),
    pythonBudgets(),
  ];
}
