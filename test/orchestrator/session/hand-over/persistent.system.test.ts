import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { fileStore } from '../../../../src/orchestrator/store/file/file-store.ts';
import { SandboxExecutor } from '../../../../src/sessions/sandbox-executor.ts';
import { sessionIdOf } from '../../../../src/sessions/session/shared-session.ts';
import { describeWithEngine } from '../../../support/engine.ts';
import { startTold } from '../../../support/told-process.ts';
import { useDirectories } from '../../store/stores.ts';
import { converse, runs, says } from '../../support.ts';

const OTHER = new URL('./continue-conversation.ts', import.meta.url);
const makeDirectory = useDirectories();

describeWithEngine('a conversation in a store with a persistent session', (docker) => {
  it('goes on with its variables in one live process and another by turns', async () => {
    const [directory, session] = [await makeDirectory(), randomUUID()];
    const add = (text: string): string => `kept = globals().get("kept", "") + "${text}"; kept`;
    const other = await startTold(OTHER, directory, session, add('b'), add('d'));
    const executor = new SandboxExecutor({ provider: 'docker' });
    onTestFinished(() => executor.close());
    const store = fileStore({ directory });
    const goOn = async (code: string): Promise<readonly (string | undefined)[]> => {
      const options = { executor, store, sessionKey: session, persistent: true };
      const { orchestrator, results } = converse([runs(code), says('Done.')], options);
      await orchestrator.run('Go on.');
      return results(1).map(({ text }) => text);
    };
    // Nothing tells the model that variables are gone.
    expect(await goOn(add('a'))).toEqual(["'a'"]);
    expect(await other.next()).toEqual(["'ab'"]);
    expect(await goOn(add('c'))).toEqual(["'abc'"]);
    expect(await other.next()).toEqual(["'abcd'"]);
    const { orchestrator } = converse([], {
      executor,
      store,
      sessionKey: session,
      persistent: true,
    });
    await orchestrator.resetConversation();
    const label = [`sandboxed-ptc.session=${sessionIdOf(session)}`];
    expect(await docker.listContainers({ all: true, filters: { label } })).toEqual([]);
  });
});
