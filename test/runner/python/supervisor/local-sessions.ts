import { afterAll, beforeAll } from 'vitest';
import type { ExecutionResult } from '../../../../src/execution/execution.ts';
import type { LanguageName } from '../../../../src/protocol/messages.ts';
import type { Session } from '../../../../src/sessions/executor.ts';
import { SandboxExecutor } from '../../../../src/sessions/sandbox-executor.ts';
import { RecordingProvider } from '../../../../src/testing/recording-provider.ts';
import { statesBelow } from '../../../support/descendants.ts';
import { unisolatedLocalProvider } from '../../../support/local-provider.ts';

export interface LocalSessions {
  /** Runs a program in a new session. */
  readonly run: (
    language: LanguageName,
    code: string,
  ) => Promise<{ readonly session: Session; readonly result: ExecutionResult }>;
  /** The states of all processes of a session but its supervisor. */
  readonly statesOf: (session: Session) => string;
}

/** Sessions whose processes the tests of a file can look at. */
export function useLocalSessions(): LocalSessions {
  const provider = new RecordingProvider(unisolatedLocalProvider());
  let executor: SandboxExecutor;
  beforeAll(() => {
    const languages = ['python', 'javascript', 'bash'] as const;
    executor = new SandboxExecutor({ provider, languages });
  });
  afterAll(async () => executor.close());
  return {
    async run(language, code) {
      const session = await executor.acquire();
      return { session, result: await session.execute(code, { language }) };
    },
    statesOf: ({ id }) => statesBelow(provider.created.get(id)?.id),
  };
}
