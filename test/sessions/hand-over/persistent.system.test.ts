import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { sessionIdOf } from '../../../src/sessions/session/shared-session.ts';
import { isNameHeld } from '../../../src/shared/held-names/held-name.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { startProgramRunner } from './support.ts';

describeWithEngine('a persistent session', (docker) => {
  it('goes with its state from process to process as each asks for it, and one that is acquired stays', async () => {
    const key = randomUUID();
    const id = sessionIdOf(key);
    const other = await startProgramRunner(
      key,
      'persistent',
      'kept += ["other"]; print(kept)',
      'print("not now")',
      'kept += ["other again"]; print(kept)',
    );
    const executor = new SandboxExecutor({ provider: 'docker' });
    onTestFinished(() => executor.close());
    const mine = { key, persistent: true };
    await executor.execute('kept = ["mine"]', mine);
    expect(await other.next()).toMatchObject({ stdout: "['mine', 'other']\n" });
    expect(executor.getSession(id)).toBeUndefined();

    const session = await executor.acquire(mine);
    expect(session.acquired).toMatchObject({ resumed: 'idle', programs: 2 });
    expect(await session.execute('kept += ["mine again"]')).toMatchObject({ status: 'ok' });
    expect(await other.next()).toMatchObject({ code: 'SESSION_HELD' });
    await session.release();
    expect(await other.next()).toMatchObject({
      stdout: "['mine', 'other', 'mine again', 'other again']\n",
    });

    await executor.closeSessionOf(key, { persistent: true });
    const label = [`sandboxed-ptc.session=${id}`];
    expect(await docker.listContainers({ all: true, filters: { label } })).toEqual([]);
    expect(await isNameHeld(`session/${id}`)).toBe(false);
  });
});
