import { expect } from 'vitest';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { PIXEL, pngHeader } from '../../support/images.ts';
import { namesIn, type Open } from './hostile-files.ts';

const MEBIBYTE = 2 ** 20;

function failure(errno: string, message: RegExp): unknown {
  return expect.objectContaining({
    code: 'FILE_FAILED',
    message: expect.stringMatching(message),
    details: expect.objectContaining({ errno }),
  });
}

/** An upload of 2 GiB, of which no more is taken than there is room for. */
export async function uploadTooMuch(open: Open): Promise<void> {
  const { files } = await open();
  await files.write('kept', 'old');
  const part = new Uint8Array(MEBIBYTE);
  let [taken, isClosed] = [0, false];
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (; taken < 2048; taken += 1) yield part;
    } finally {
      isClosed = true;
    }
  }
  await expect(files.write('kept', endless())).rejects.toEqual(
    failure('ENOSPC', /Remove files, or raise limits\.temporaryStorageBytes\.$/),
  );
  // The storage has 16 MiB.
  expect({ few: taken < 24, isClosed }).toEqual({ few: true, isClosed: true });
  expect(await namesIn(files)).toEqual(['kept']);
  expect(await files.readText('kept')).toBe('old');
}

/** Files that are larger than the storage, while nothing else is in it. */
export async function exceedStorage(open: Open): Promise<void> {
  const { files } = await open();
  const content = new Uint8Array(20 * MEBIBYTE);
  const isFull = failure(
    'ENOSPC',
    /No space left on device \(ENOSPC\)\. Remove files, or raise limits\.temporaryStorageBytes\.$/,
  );
  await expect(files.write('large', content)).rejects.toEqual(isFull);
  expect(await namesIn(files)).toEqual([]);
  await expect(files.append('large', content)).rejects.toEqual(isFull);
}

/** A fifo, a socket and a device, none of which a program can make, and links to devices. */
export async function useSpecialFiles(open: Open): Promise<void> {
  const session = await open();
  const { files } = session;
  const { stdout } = await session.execute(`
import os, socket, stat
def bind(): socket.socket(socket.AF_UNIX).bind("/tmp/socket")
def device(): os.mknod("/tmp/device", stat.S_IFCHR | 0o666, os.makedev(1, 5))
for make in (lambda: os.mkfifo("/tmp/fifo"), bind, device):
    try: print("made", make())
    except OSError as error: print(type(error).__name__)
os.symlink("/dev/zero", "/tmp/zero")
os.symlink("/dev/fd/0", "/tmp/input")
`);
  expect(stdout).toBe('PermissionError\n'.repeat(3));
  for (const path of ['zero', 'input']) {
    const refusal = failure('EXDEV', /leads out of \/tmp/);
    await expect(files.read(path)).rejects.toEqual(refusal);
    await expect(files.write(path, 'x')).rejects.toEqual(refusal);
    await expect(files.append(path, 'x')).rejects.toEqual(refusal);
  }
  expect(await files.grep('x')).toEqual({ matches: [], truncated: false });
}

/** A file that grows and shrinks while it is read. */
export async function readChangingFile(open: Open): Promise<void> {
  const begun = createDeferred<void>();
  const ended = createDeferred<void>();
  const waits = defineTool({
    name: 'waits',
    description: 'Waits.',
    run: async () => {
      begun.resolve();
      await ended.promise;
    },
  });
  const session = await open({ tools: [waits] });
  const running = session.execute(`
import threading
on = True
def change():
    with open("/tmp/changing", "wb", buffering=0) as file:
        while on:
            for _ in range(64): _ = file.write(bytes(65536))
            _ = file.truncate(0)
            _ = file.seek(0)
changing = threading.Thread(target=change)
changing.start()
await waits()
on = False
changing.join()
`);
  await begun.promise;
  for (let count = 0; count < 10; count += 1) {
    const { length } = await session.files.read('changing');
    expect(length).toBeLessThanOrEqual(4 * MEBIBYTE);
  }
  ended.resolve();
  expect(await running).toMatchObject({ status: 'ok' });
}

/** Pictures that are none, or another type or size than they claim to be. */
export async function showLyingImages(open: Open): Promise<void> {
  const session = await open();
  const { images, imageProblems, stdout, status } = await session.execute(`
import base64, struct
signature = b"\\x89PNG\\r\\n\\x1a\\n"
with open("/tmp/picture.png", "wb") as file: _ = file.write(b"GIF89a" + struct.pack("<HH", 3, 2))
show("/tmp/picture.png")
show(signature + b"this is not a picture")
show(base64.b64decode("${pngHeader(40_000, 40_000)}"))
show(base64.b64decode("${PIXEL}"))
for lie in (b"<svg onload='alert(1)'/>", b"RIFF    WAVE", b""):
    try: show(lie)
    except ValueError as error: print(error)
`);
  expect(status).toBe('ok');
  expect(images).toMatchObject([
    { mediaType: 'image/gif', widthPixels: 3, heightPixels: 2 },
    { mediaType: 'image/png', widthPixels: 1, heightPixels: 1 },
  ]);
  expect(imageProblems).toEqual([
    expect.stringMatching(/^Image 2 is not shown, because it is not a PNG, .* with a whole header/),
    expect.stringMatching(
      /^Image 3 is not shown, because it has 40000 × 40000 pixels, and at most 8000/,
    ),
  ]);
  expect(stdout).toMatch(/^(show\(\) takes a PNG, .*; save it as PNG first\n){3}$/);
}

/** Files of which a program says that they are from another age, in `/tmp` and among those that it returns. */
export async function setExtremeTimes(open: Open): Promise<void> {
  const session = await open();
  const result = await session.execute(`
import os
for name in ("/tmp/late", "/tmp/early", os.environ["OUTPUT_DIR"] + "/left"):
    with open(name, "w") as file: _ = file.write("x")
    os.utime(name, (0, -2**50 if name == "/tmp/early" else 2**50))
`);
  expect(result).toMatchObject({ status: 'ok', files: [{ name: 'left' }], fileProblems: [] });
  const { entries } = await session.files.list();
  const times = entries.flatMap(({ name, modifiedAtMs }) =>
    name === 'late' || name === 'early' ? [[name, Number.isSafeInteger(modifiedAtMs)]] : [],
  );
  expect(times).toEqual([
    ['early', true],
    ['late', true],
  ]);
  expect((await session.files.stat('late')).sizeBytes).toBe(1);
  expect(await session.execute('print(len(name))')).toMatchObject({ status: 'ok' });
}
