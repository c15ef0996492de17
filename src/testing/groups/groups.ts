import type { LanguageName } from '../../protocol/messages.ts';
import type { Kill, TestGroup } from '../test-definition.ts';
import { budgets } from './any-language/budgets.ts';
import { ends } from './any-language/ends.ts';
import { isolation } from './any-language/isolation.ts';
import { limits } from './any-language/limits.ts';
import { output, outputLimits } from './any-language/output.ts';
import { policy } from './any-language/policy.ts';
import { programs } from './any-language/programs.ts';
import { sessions } from './any-language/sessions.ts';
import { toolFailures } from './any-language/tool-failures.ts';
import { tools } from './any-language/tools.ts';
import { values } from './any-language/values.ts';
import { javascriptLanguage } from './javascript/language.ts';
import { nodePrograms } from './javascript/node-programs.ts';
import { pendingWork } from './javascript/pending-work.ts';
import { processEvents } from './javascript/process-events.ts';
import { javascriptValues } from './javascript/values.ts';
import { asyncio } from './python/asyncio.ts';
import { pythonBudgets } from './python/budgets.ts';
import { pythonEnds } from './python/ends.ts';
import { pythonErrors } from './python/errors.ts';
import { pythonLimits, pythonOutputLimits } from './python/limits.ts';
import { pythonModules } from './python/modules.ts';
import { multiprocessing } from './python/multiprocessing.ts';
import { pythonOutput } from './python/output.ts';
import { pythonPolicy } from './python/policy.ts';
import { pythonPrograms } from './python/programs.ts';
import { threads } from './python/threads.ts';
import { pythonToolResults } from './python/tool-results.ts';
import { pythonTools } from './python/tools.ts';
import { limitsOfValues, pythonValues } from './python/values.ts';
import { pythonWaiting } from './python/waiting.ts';

/** Makes all groups of tests for a language. Each call makes new ones, because groups have a state. */
export function testGroups(language: LanguageName, kill: Kill | undefined): readonly TestGroup[] {
  const all: readonly TestGroup[] = [
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
    pythonPrograms(),
    pythonModules(),
    pythonErrors(),
    pythonOutput(),
    pythonOutputLimits(),
    pythonValues(),
    limitsOfValues(),
    asyncio(),
    pythonWaiting(),
    pythonTools(),
    pythonToolResults(),
    pythonPolicy(),
    pythonBudgets(),
    pythonLimits(),
    threads(),
    multiprocessing(),
    pythonEnds(),
    javascriptLanguage(),
    nodePrograms(),
    processEvents(),
    pendingWork(),
    javascriptValues(),
  ];
  return all.filter(({ languages }) => languages === undefined || languages.includes(language));
}
