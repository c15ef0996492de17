import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { opener, testFileProcess, testHostileFiles } from '../../security/files/hostile-files.ts';
import { describeWithEngine } from '../../support/engine.ts';

function make(): SandboxExecutor {
  const executor = new SandboxExecutor({ provider: dockerProvider() });
  onTestFinished(() => executor.close());
  return executor;
}

describeWithEngine('the files of a container', () => {
  const open = opener(() => dockerProvider());
  testHostileFiles(open);
  testFileProcess(open);

  it('stay for the host that takes a persistent session over, and an upload under way fails', async () => {
    const options = { sessionKey: randomUUID(), persistent: true };
    const first = make();
    const session = await first.acquire(options);
    await session.files.write('kept', 'old');
    const begun = createDeferred<void>();
    async function* parts(): AsyncGenerator<string> {
      yield 'a'.repeat(600_000);
      begun.resolve();
      await session.closing;
      yield 'b';
    }
    const upload = expect(session.files.write('kept', parts())).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
    await begun.promise;
    await first.close();
    await upload;
    const again = await make().acquire(options);
    expect(again.stateId).toBe(session.stateId);
    expect(await again.files.readText('kept')).toBe('old');
    await again.files.write('kept', 'new');
    expect(await again.execute('print(open("/tmp/kept").read())')).toMatchObject({
      stdout: 'new\n',
    });
    await again.destroy();
  });
});
