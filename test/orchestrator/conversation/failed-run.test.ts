import { expect, it } from 'vitest';
import { CodeTool } from '../../../src/orchestrator/code/code-tool.ts';
import { Conversation } from '../../../src/orchestrator/conversation/conversation.ts';
import { InputFiles } from '../../../src/orchestrator/files/input-files.ts';
import { RunEnds } from '../../../src/orchestrator/run/run-ends.ts';
import { NO_USAGE } from '../../../src/models/token-usage.ts';
import { PtcError } from '../../../src/shared/errors.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';
import { uses } from '../support.ts';

it('a run that fails during its calls keeps what is known of them, and says of the others only that they were not run', async () => {
  await using executor = new SandboxExecutor({ provider: unisolatedLocalProvider() });
  const conversation = new Conversation({
    codeTool: new CodeTool({ executor }),
    store: undefined,
    start: { messages: [], usage: NO_USAGE },
    files: new InputFiles({ files: [], maxBytes: 0, store: undefined, key: () => 'key' }),
    onFailure: 'keep',
  });
  const { signal } = new AbortController();
  using ends = new RunEnds({ closing: signal, caller: signal, runTimeoutMs: undefined });
  const run = await conversation.begin({
    runId: 'r',
    ends,
    soFar: ({ id }) => (id === 'made' ? { text: 'paid', isError: false } : undefined),
  });
  run.transcript.addInput('Pay.');
  run.transcript.addAnswer([uses('pay', {}, 'made'), uses('pay', {}, 'never begun')]);
  const failure = await conversation.fail(run, new PtcError('ABORTED', 'Enough.'));
  expect(conversation.messages.at(-1)?.content).toEqual([
    { type: 'tool-result', toolUseId: 'made', text: 'paid', isError: false },
    {
      type: 'tool-result',
      toolUseId: 'never begun',
      text: 'The run ended with this answer, so this call was not run.',
      isError: true,
    },
  ]);
  expect(failure.details).toMatchObject({ transcript: conversation.messages });
});
