import type { LanguageName } from '../../protocol/messages.ts';
import { inOneSession, type Kill, type TestGroup } from '../test-definition.ts';
import { budgets } from './any-language/budgets.ts';
import { decidedTogether } from './any-language/decided-together.ts';
import { ends } from './any-language/ends.ts';
import { sessionFiles } from './any-language/files.ts';
import { handOver } from './any-language/hand-over.ts';
import { held } from './any-language/held.ts';
import { isolation } from './any-language/isolation.ts';
import { limits } from './any-language/limits.ts';
import { output, outputLimits } from './any-language/output.ts';
import { policy } from './any-language/policy.ts';
import { programs } from './any-language/programs.ts';
import { providerContract } from './any-language/provider-contract.ts';
import { sessions } from './any-language/sessions.ts';
import { toolFailures } from './any-language/tool-failures.ts';
import { tools } from './any-language/tools.ts';
import { values } from './any-language/values.ts';
import { javascriptModules } from './javascript.ts';
import { pythonProcesses } from './python.ts';

/** Makes all groups of tests for a language. Each call makes new ones, because groups have a state. */
export function testGroups(language: LanguageName, kill: Kill | undefined): readonly TestGroup[] {
  const all: readonly TestGroup[] = [
    ...inOneSession(programs(), output(), values()),
    outputLimits(),
    tools(),
    toolFailures(),
    policy(),
    decidedTogether(),
    held(),
    budgets(),
    limits(),
    ends(kill),
    sessions(),
    handOver(),
    sessionFiles(),
    isolation(),
    providerContract(),
    pythonProcesses(),
    javascriptModules(),
  ];
  return all.filter(({ languages }) => languages === undefined || languages.includes(language));
}
