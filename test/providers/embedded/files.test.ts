import { describe, expect, it } from 'vitest';
import { embeddedProvider } from '../../../src/providers/embedded/embedded-provider.ts';
import { endDuringTransfers } from '../../security/files/cut-transfers.ts';
import * as content from '../../security/files/hostile-content.ts';
import * as hostile from '../../security/files/hostile-files.ts';

describe('the files of an embedded sandbox', () => {
  const open = hostile.opener(() => embeddedProvider());

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

  it('uploads and downloads that are under way when their session ends fail with CLOSED', async () => {
    await expect(endDuringTransfers(() => embeddedProvider())).resolves.toBeUndefined();
  });

  it('a file is uploaded while programs of its session begin and end [every/files-any-time]', async () => {
    await expect(hostile.uploadBesidePrograms(open)).resolves.toBeUndefined();
  });
});
