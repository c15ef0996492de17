import { expect, it } from 'vitest';
import { bubblewrapProvider } from '../../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { endDuringTransfers } from '../../security/files/cut-transfers.ts';
import * as content from '../../security/files/hostile-content.ts';
import * as hostile from '../../security/files/hostile-files.ts';
import { grown, readHostResources, untilNothingIsLeft } from '../../security/remains.ts';
import { describeWithBubblewrap } from '../../support/bubblewrap.ts';
import { executorFor } from '../../support/executor-for.ts';
import { IN_ALL_COMBINATIONS } from '../../support/scope.ts';

/** What one session in twenty leaves is seen after 24. */
const SESSIONS = IN_ALL_COMBINATIONS ? 1000 : 24;
const AT_ONCE = 4;

describeWithBubblewrap('the files of a bubblewrap sandbox', () => {
  const open = hostile.opener(() => bubblewrapProvider());
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
    await expect(endDuringTransfers(() => bubblewrapProvider())).resolves.toBeUndefined();
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

  it(`leave nothing behind after ${String(SESSIONS)} sessions`, async () => {
    const executor = executorFor(bubblewrapProvider(), { maxSandboxes: 8 });
    const useOnce = async (): Promise<void> => {
      const session = await executor.acquire();
      await session.files.write('a/b', 'x'.repeat(300_000));
      expect((await session.files.stat('a/b')).sizeBytes).toBe(300_000);
      // A transfer that is not read to its end.
      for await (const _ of session.files.stream('a/b')) break;
      await session.release();
    };
    await useOnce();
    const before = await readHostResources();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let count = 0; count < SESSIONS / AT_ONCE; count += 1) await useOnce();
      }),
    );
    await untilNothingIsLeft(async () => grown(before, await readHostResources()));
  });
});
