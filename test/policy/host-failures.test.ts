import { randomUUID } from 'node:crypto';
import { generateText, stepCountIs } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { executeCodeTool } from '../../src/ai-sdk/index.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { codeTool } from '../../src/orchestrator/code/code-tool.ts';
import { ProgrammaticToolOrchestrator } from '../../src/orchestrator/orchestrator.ts';
import type { SandboxExecutorOptions } from '../../src/sessions/options/executor-options.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { PtcError } from '../../src/shared/errors.ts';
import { modelThat } from '../ai-sdk/support.ts';
import { connect, newClient } from '../mcp/server/support.ts';
import { runs, says } from '../orchestrator/support.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';

const SECRET = 'no /secret/path';

/** What the caller of a way gets, and all that its model gets. */
interface Failed {
  readonly error: unknown;
  readonly model: string;
}

type Way = (executor: SandboxExecutor) => Promise<Failed>;

const thrown = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  );

/** The model is also asked again, in a later run. */
const inConversation: Way = async (executor) => {
  const requests: unknown[] = [];
  const model = scriptedModel((request) => {
    requests.push(request);
    return requests.length === 1 ? runs('print(1)') : says('Done.');
  });
  await using orchestrator = new ProgrammaticToolOrchestrator({ model, executor });
  const error = await thrown(orchestrator.run('Go on.'));
  expect(requests).toHaveLength(1);
  await orchestrator.run('And now?');
  return { error, model: JSON.stringify(requests) };
};

const inCodeTool: Way = async (executor) => {
  const told: unknown[] = [];
  const tool = codeTool({ executor, onHostError: (error) => told.push(error) });
  const error = await thrown(tool.execute({ code: 'print(1)' }));
  expect(told).toEqual([error]);
  return { error, model: '' };
};

const inAiSdk: Way = async (executor) => {
  const model = modelThat({ code: 'print(1)' }, { text: 'Done.' });
  const tools = { execute_code: executeCodeTool({ executor, sessionKey: randomUUID() }) };
  const asked = generateText({ model, tools, stopWhen: stepCountIs(2), prompt: 'Go on.' });
  const error = await thrown(asked);
  expect(model.doGenerateCalls).toHaveLength(1);
  return { error, model: JSON.stringify(model.doGenerateCalls[0]?.prompt) };
};

/** The caller is who runs the server: a client gets what its model may read. */
const inMcpServer: Way = async (executor) => {
  const told: unknown[] = [];
  const options = { executor, onHostError: (error: unknown) => void told.push(error) };
  const { client } = await connect('2026-07-28', options, newClient('2026-07-28'));
  const call = client.callTool({ name: 'execute_code', arguments: { code: 'print(1)' } });
  const refusal = await thrown(call);
  expect(refusal).toMatchObject({ code: -32_603 });
  return { error: told[0], model: `${String(refusal)} ${JSON.stringify(refusal)}` };
};

describe.each<[string, Way]>([
  ['a conversation', inConversation],
  ['codeTool', inCodeTool],
  ['executeCodeTool', inAiSdk],
  ['our MCP server', inMcpServer],
])('an error of the host in %s', (_, way) => {
  const executorWith = (options: SandboxExecutorOptions = {}): SandboxExecutor => {
    const executor = new SandboxExecutor({ provider: unisolatedLocalProvider(), ...options });
    onTestFinished(async () => executor.close());
    return executor;
  };

  it('reaches the caller and not the model if no sandbox starts', async () => {
    const { error, model } = await way(
      executorWith({
        provider: {
          name: 'none',
          languages: ['python'],
          create: async () => {
            throw new PtcError('SANDBOX_START_FAILED', SECRET);
          },
          probe: async () => ({ usable: true, description: 'none' }),
          close: async () => {},
        },
      }),
    );
    expect(error).toMatchObject({ code: 'SANDBOX_START_FAILED', message: SECRET });
    expect(model).not.toContain('secret');
  });

  it('reaches the caller and not the model if the executor is closed', async () => {
    const executor = executorWith();
    await executor.close();
    const { error, model } = await way(executor);
    expect(error).toMatchObject({ code: 'CLOSED' });
    expect(model).not.toContain((error as PtcError).message);
  });
});
