import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { sessionIdOf } from '../../../src/sessions/session/shared-session.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { startTypeScript } from '../../support/typescript-process.ts';
import { converse, runs, says } from '../support.ts';

const HOST = new URL('./persistent-conversation.ts', import.meta.url);

function makeExecutor(): SandboxExecutor {
  const executor = new SandboxExecutor({ provider: 'docker' });
  onTestFinished(() => executor.close());
  return executor;
}

/** Has another process begin a conversation, and kills it when it has said what came of it. */
async function beginElsewhere(session: string): Promise<unknown> {
  const host = startTypeScript(HOST, session);
  onTestFinished(() => void host.kill('SIGKILL'));
  let text = '';
  while (!text.endsWith('\n')) text += String((await once(host.stdout, 'data'))[0]);
  host.kill('SIGKILL');
  await once(host, 'exit');
  return JSON.parse(text);
}

describeWithEngine('a conversation with a persistent session', (docker) => {
  const containers = async (session: string): Promise<number> => {
    const label = [`sandboxed-ptc.session=${sessionIdOf(session)}`];
    return (await docker.listContainers({ all: true, filters: { label } })).length;
  };
  const LOOK = [runs('print(globals().get("kept"))', 'look'), says('Looked.')];

  it('continues in another process with its document and its variables, and does not mention them to the model', async () => {
    const session = randomUUID();
    const conversation = await beginElsewhere(session);
    const options = { executor: makeExecutor(), conversation, persistent: true };
    const { orchestrator, results } = converse([...LOOK, ...LOOK], options);
    await orchestrator.run('What is it?');
    expect(results(1)).toEqual([{ text: '42', isError: false }]);
    expect(orchestrator.messages).toHaveLength(8);
    await orchestrator.resetConversation();
    expect(await containers(session)).toBe(0);
    await orchestrator.run('And now?');
    expect(results(3)).toEqual([{ text: 'None', isError: false }]);
    await orchestrator.resetConversation();
  });

  it('that another user of the key reset and used says in another process that its variables are gone', async () => {
    const session = randomUUID();
    const conversation = await beginElsewhere(session);
    const executor = makeExecutor();
    const handle = await executor.acquire({ sessionKey: session, persistent: true });
    await handle.reset();
    await handle.execute('theirs = 1');
    const { orchestrator, results } = converse(LOOK, { executor, conversation, persistent: true });
    await orchestrator.run('What is it?');
    expect(results(1)[0]?.text).toMatch(/^None\n.*variables of earlier programs are gone/s);
    await handle.destroy();
  });

  it('is reset in another process before a program ran there, and its sandbox is gone', async () => {
    const session = randomUUID();
    const conversation = await beginElsewhere(session);
    expect(await containers(session)).toBe(1);
    const options = { executor: makeExecutor(), conversation, persistent: true };
    const { orchestrator } = converse([], options);
    await orchestrator.resetConversation();
    expect(await containers(session)).toBe(0);
    expect(orchestrator.messages).toEqual([]);
  });
});
