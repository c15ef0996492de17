import { expect } from 'vitest';
import type { SandboxProvider } from '../../../src/sandbox/sandbox.ts';
import type { SandboxExecutorOptions } from '../../../src/sessions/options/executor-options.ts';
import type { Session } from '../../../src/sessions/executor.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import type { SessionFiles } from '../../../src/tools/session-files.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { executorFor } from '../../support/executor-for.ts';

/** Opens a session for one test. */
export type Open = (options?: SandboxExecutorOptions) => Promise<Session>;

/** A function that opens sessions of a provider. */
export function opener(provider: () => SandboxProvider): Open {
  return async (options = {}) => executorFor(provider(), options).acquire();
}

/** What is in /tmp beside the directory that a sandbox has for files that programs leave. */
export async function namesIn(files: SessionFiles): Promise<readonly string[]> {
  const { entries } = await files.list();
  return entries.map(({ name }) => name).filter((name) => name !== 'outputs');
}

async function run(session: Session, code: string): Promise<string> {
  const result = await session.execute(code);
  expect(result).toMatchObject({ status: 'ok' });
  return result.stdout;
}

function failure(errno: string): unknown {
  return expect.objectContaining({
    code: 'FILE_FAILED',
    details: expect.objectContaining({ errno }),
  });
}

/** A tool for which a program waits until the test ends it. */
const waits = {
  begun: createDeferred<void>(),
  ended: createDeferred<void>(),
  renew(): void {
    this.begun = createDeferred();
    this.ended = createDeferred();
  },
  get called(): Promise<void> {
    return this.begun.promise;
  },
  end(): void {
    this.ended.resolve();
  },
  tool: defineTool({
    name: 'waits',
    description: 'Waits.',
    run: async () => {
      waits.begun.resolve();
      await waits.ended.promise;
    },
  }),
};

/** Links that lead out of /tmp, and others. */
export async function followLinks(open: Open): Promise<void> {
  const session = await open();
  const { files } = session;
  await run(
    session,
    `
import os
os.makedirs("/tmp/inner")
with open("/tmp/inner/file", "w") as file: _ = file.write("inside")
for name, target in {"environ": "/proc/1/environ", "etc": "/etc", "up": "../etc", "self": "/proc/self",
    "loop": "loop", "new": "/var/new", "near": "inner/file", "absolute": "/tmp/inner", "back": "inner/../near"}.items():
    os.symlink(target, f"/tmp/{name}")
`,
  );
  for (const path of ['environ', 'etc/passwd', 'up/passwd', 'self/status', 'new']) {
    await expect(files.read(path)).rejects.toEqual(failure('EXDEV'));
    await expect(files.write(path, 'x')).rejects.toEqual(failure('EXDEV'));
    await expect(files.append(path, 'x')).rejects.toEqual(failure('EXDEV'));
    await expect(files.edit(path, { find: 'a', replace: 'b' })).rejects.toEqual(failure('EXDEV'));
  }
  for (const path of ['etc', 'up', 'self']) {
    await expect(files.list(path)).rejects.toEqual(failure('EXDEV'));
    await expect(files.grep('root', { path })).rejects.toEqual(failure('EXDEV'));
  }
  await expect(files.read('loop')).rejects.toEqual(failure('ELOOP'));
  for (const path of ['near', 'absolute/file', 'back']) {
    expect(await files.readText(path)).toBe('inside');
  }
  await files.write('near', 'changed');
  expect(await files.readText('inner/file')).toBe('changed');
  const { paths } = await files.glob('**');
  expect(paths.filter((path) => path.startsWith('etc/') || path.startsWith('self/'))).toEqual([]);
  await files.remove('etc', { recursive: true });
  expect(await run(session, 'import os\nprint(os.path.lexists("/tmp/etc"))')).toBe('False\n');
}

/** A file that is larger than what may be read. */
export async function readHugeFile(open: Open): Promise<void> {
  const session = await open();
  const { files } = session;
  await run(session, 'with open("/tmp/huge", "wb") as file: _ = file.truncate(15_000_000)');
  await run(session, 'import os\nos.truncate("/tmp/huge", 15_000_001)');
  await expect(files.read('huge', { maxBytes: 1_000_000 })).rejects.toEqual(failure('EFBIG'));
  const some = await files.read('huge', { offsetBytes: 14_999_999, lengthBytes: 10 });
  expect(some).toHaveLength(2);
}

/** A full /tmp fails an edit and an upload, and leaves what was there. */
export async function fillStorage(open: Open): Promise<void> {
  const session = await open();
  const { files } = session;
  await files.write('kept', 'a'.repeat(1_000_000));
  await run(
    session,
    `
try:
    with open("/tmp/filler", "wb", buffering=0) as file:
        while True: _ = file.write(bytes(65536))
except OSError: pass
`,
  );
  const edit = { find: 'a', replace: 'b', all: true };
  await expect(files.edit('kept', edit)).rejects.toEqual(failure('ENOSPC'));
  await expect(files.write('kept', 'c'.repeat(1_000_000))).rejects.toEqual(failure('ENOSPC'));
  expect(await files.readText('kept')).toBe('a'.repeat(1_000_000));
  await files.remove('filler');
  await expect(files.write('large', new Uint8Array(64 * 2 ** 20))).rejects.toEqual(
    failure('ENOSPC'),
  );
  expect(await namesIn(files)).toEqual(['kept']);
  await files.write('kept', 'new');
  expect(await files.readText('kept')).toBe('new');
}

/** An upload while programs of its session begin and end. */
export async function uploadBesidePrograms(open: Open): Promise<void> {
  const session = await open();
  async function* parts(): AsyncGenerator<string> {
    for (let count = 0; count < 4; count += 1) {
      yield `${count}`.repeat(300_000);
      expect(await run(session, `print(${count})`)).toBe(`${count}\n`);
    }
  }
  await session.files.write('uploaded', parts());
  const all = [0, 1, 2, 3].map((count) => `${count}`.repeat(300_000)).join('');
  expect(await session.files.readText('uploaded')).toBe(all);
}

/** A directory that becomes a link and a directory again, meanwhile. */
export async function swapDirectory(open: Open): Promise<void> {
  const session = await open({ tools: [waits.tool] });
  waits.renew();
  const running = session.execute(`
import os, threading
os.mkdir("/tmp/real")
with open("/tmp/real/status", "w") as file: _ = file.write("mine")
os.symlink("/proc/self", "/tmp/link")
on = True
def swap():
    while on:
        for name in ("real", "link"):
            os.rename(f"/tmp/{name}", "/tmp/place")
            os.rename("/tmp/place", f"/tmp/{name}")
threading.Thread(target=swap).start()
await waits()
on = False
`);
  await waits.called;
  const seen = new Set<string>();
  for (let count = 0; count < 200; count += 1) {
    seen.add(await session.files.readText('place/status').catch((error) => error.details.errno));
  }
  waits.end();
  expect(await running).toMatchObject({ status: 'ok' });
  const allowed = new Set(['mine', 'ENOENT', 'EXDEV', 'ELOOP', 'ENOTDIR']);
  expect([...seen].filter((one) => !allowed.has(one))).toEqual([]);
}

/** A program that kills the process for files. */
export async function killFileProcess(open: Open): Promise<void> {
  const session = await open();
  await session.files.write('file', 'x');
  const link = '.ptc-0123456789abcdef.part';
  await run(session, `import os\nos.symlink("file", "/tmp/${link}")`);
  async function* parts(): AsyncGenerator<string> {
    yield 'a'.repeat(600_000);
    await run(session, 'import os, signal\nos.kill(-1, signal.SIGKILL)');
    yield 'b';
  }
  const upload = session.files.write('file', parts());
  await expect(upload).rejects.toMatchObject({ code: 'FILE_FAILED' });
  expect(await session.files.readText('file')).toBe('x');
  // What the process was writing is gone, and a link with such a name is not.
  expect((await session.files.glob('**/.ptc-*')).paths).toEqual([link]);
  await session.files.write('file', 'y');
  expect(await run(session, 'print(open("/tmp/file").read())')).toBe('y\n');
}

/** A program that stops the process for files once. */
export async function stopFileProcess(open: Open): Promise<void> {
  const session = await open({ tools: [waits.tool] });
  await session.files.write('file', 'x');
  waits.renew();
  const running = session.execute('import os, signal\nos.kill(-1, signal.SIGSTOP)\nawait waits()');
  await waits.called;
  expect(await session.files.readText('file')).toBe('x');
  waits.end();
  expect(await running).toMatchObject({ status: 'ok' });
  expect(await session.files.readText('file')).toBe('x');
}

/** A program that stops the process for files again and again. */
export async function keepFileProcessStopped(open: Open): Promise<void> {
  let pings = 0;
  const ping = defineTool({ name: 'ping', description: 'Pings.', run: () => ++pings });
  const session = await open({ tools: [waits.tool, ping] });
  await session.files.write('file', 'x');
  waits.renew();
  const running = session.execute(`
import os, signal, threading
on = True
def stop():
    while on: os.kill(-1, signal.SIGSTOP)
threading.Thread(target=stop).start()
await waits()
for _ in range(20): await ping()
on = False
`);
  await waits.called;
  const stop = new AbortController();
  const reading = session.files.readText('file', { signal: stop.signal }).then(
    () => 'read',
    (error: { code: string }) => error.code,
  );
  waits.end();
  expect(await running).toMatchObject({ status: 'ok', toolCalls: 21 });
  stop.abort();
  expect(['read', 'ABORTED']).toContain(await reading);
  expect(await session.files.readText('file')).toBe('x');
}

/** A program that looks into the process for files. */
export async function lookAtFileProcess(open: Open): Promise<void> {
  const session = await open();
  await session.files.write('file', 'x');
  const opened = await run(
    session,
    `
import os
others = [pid for pid in os.listdir("/proc") if pid.isdigit() and int(pid) != os.getpid()]
print(len(others))
for pid in others:
    for name in ("mem", "environ", "maps", "auxv"):
        try:
            with open(f"/proc/{pid}/{name}", "rb") as file: print(pid, name)
        except OSError: pass
    try: print(pid, os.listdir(f"/proc/{pid}/fd"))
    except OSError: pass
`,
  );
  // The supervisor and the process for files.
  expect(opened).toBe('2\n');
}

/** A search that takes too long. */
export async function searchTooLong(open: Open): Promise<void> {
  const session = await open();
  await session.files.write('slow', 'a'.repeat(60));
  await session.files.stat('slow');
  const signal = AbortSignal.timeout(300);
  const search = session.files.grep('(a|a)*b', { signal });
  await expect(search).rejects.toMatchObject({ code: 'ABORTED' });
  expect((await session.files.stat('slow')).sizeBytes).toBe(60);
}

/** A process that a program leaves during an upload. */
export async function leaveProcess(open: Open): Promise<void> {
  const session = await open();
  async function* parts(): AsyncGenerator<string> {
    yield 'a'.repeat(600_000);
    const { stderr } = await session.execute(
      'import subprocess\n_ = subprocess.Popen(["sleep", "60"])',
    );
    expect(stderr).toContain('background processes ended');
    yield 'b';
  }
  await session.files.write('file', parts());
  expect((await session.files.stat('file')).sizeBytes).toBe(600_001);
}
