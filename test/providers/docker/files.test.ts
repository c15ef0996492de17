import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { endDuringTransfers } from '../../security/files/cut-transfers.ts';
import * as content from '../../security/files/hostile-content.ts';
import * as hostile from '../../security/files/hostile-files.ts';
import { describeWithEngine } from '../../support/engine.ts';

function make(): SandboxExecutor {
  const executor = new SandboxExecutor({ provider: dockerProvider() });
  onTestFinished(() => executor.close());
  return executor;
}

describeWithEngine('the files of a container', () => {
  const open = hostile.opener(() => dockerProvider());
  it('links that lead out of /tmp are neither read, written nor searched, and others are followed [every/files-beneath]', async () => {
    await expect(hostile.followLinks(open)).resolves.toBeUndefined();
  });

  it('a file that claims to be endless is not read [every/files-bounded]', async () => {
    await expect(hostile.readHugeFile(open)).resolves.toBeUndefined();
  });

  it('a full /tmp fails an edit and an upload, and leaves what was there [every/files-atomic]', async () => {
    await expect(hostile.fillStorage(open)).resolves.toBeUndefined();
  });

  it('an upload of 2 GiB ends when the storage is full, and what it says helps', async () => {
    await expect(content.uploadTooMuch(open)).resolves.toBeUndefined();
  });

  it('a file that is larger than the storage does not fit, and what its error says helps', async () => {
    await expect(content.exceedStorage(open)).resolves.toBeUndefined();
  });

  it('files with extreme times are listed and returned, and do not end the session', async () => {
    await expect(content.setExtremeTimes(open)).resolves.toBeUndefined();
  });

  it('a picture that is none, or not what it claims to be, is not shown as such', async () => {
    await expect(content.showLyingImages(open)).resolves.toBeUndefined();
  });

  it('programs can make no fifo, socket or device, and links to them are refused', async () => {
    await expect(content.useSpecialFiles(open)).resolves.toBeUndefined();
  });

  it('a file that grows and shrinks is read to an end', async () => {
    await expect(content.readChangingFile(open)).resolves.toBeUndefined();
  });

  it('uploads and downloads that are under way when their session ends fail with CLOSED', async () => {
    await expect(endDuringTransfers(() => dockerProvider())).resolves.toBeUndefined();
  });

  it('a file is uploaded while programs of its session begin and end [every/files-any-time]', async () => {
    await expect(hostile.uploadBesidePrograms(open)).resolves.toBeUndefined();
  });

  it('a directory that becomes a link meanwhile leads nowhere else [every/files-beneath]', async () => {
    await expect(hostile.swapDirectory(open)).resolves.toBeUndefined();
  });

  it('a program that kills the process for files gets another one, and loses only what was under way [supervisor/file-process-ends]', async () => {
    await expect(hostile.killFileProcess(open)).resolves.toBeUndefined();
  });

  it('a process for files that was stopped continues with the next request [supervisor/file-process-ends]', async () => {
    await expect(hostile.stopFileProcess(open)).resolves.toBeUndefined();
  });

  it('a program that stops the process for files again and again holds up nothing else [supervisor/file-process-ends]', async () => {
    await expect(hostile.keepFileProcessStopped(open)).resolves.toBeUndefined();
  });

  it('the process for files shows programs neither its memory nor its descriptors [supervisor/file-process-protected]', async () => {
    await expect(hostile.lookAtFileProcess(open)).resolves.toBeUndefined();
  });

  it('a search that takes too long ends with its signal, and the next request is answered [every/files-bounded]', async () => {
    await expect(hostile.searchTooLong(open)).resolves.toBeUndefined();
  });

  it('a process that a program leaves is ended, and the process for files is not', async () => {
    await expect(hostile.leaveProcess(open)).resolves.toBeUndefined();
  });

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
    const upload = session.files.write('kept', parts()).catch((error: unknown) => error);
    await begun.promise;
    await first.close();
    expect(await upload).toMatchObject({ code: 'CLOSED', details: { reason: 'left' } });
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
