import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  embeddedProvider,
  type EmbeddedProviderOptions,
} from '../../../src/providers/embedded/embedded-provider.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { cacheDirectory } from '../../../src/providers/embedded/snapshot/snapshot-cache.ts';
import { specOf } from '../docker/support.ts';

/** Makes a wheel of pure Python, as a zip: a package with a file of data, and its metadata. */
const MAKE = `import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    wheel.writestr("greeting/__init__.py", "from .words import HELLO\\n")
    wheel.writestr("greeting/words.py", "HELLO = 'hello'\\n")
    wheel.writestr("greeting/late.py", "import sys\\nLATE = sys.argv[1]\\n".replace("sys.argv[1]", "'late'"))
    wheel.writestr("greeting/words.txt", "hello, world")
    wheel.writestr("greeting-1.2.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: greeting\\nVersion: 1.2.0\\n")
    for scheme in ("purelib", "platlib"):
        wheel.writestr(f"greeting-1.2.0.data/{scheme}/", "")
        wheel.writestr(f"greeting-1.2.0.data/{scheme}/greeting/of_{scheme}.py", f"WHERE = '{scheme}'\\n")
    wheel.writestr("../outside.py", "x = 1\\n")`;

const USE = `import greeting, greeting.late, greeting.of_purelib, greeting.of_platlib, importlib.metadata, importlib.resources, os
{"hello": greeting.HELLO, "late": greeting.late.LATE, "schemes": [greeting.of_purelib.WHERE, greeting.of_platlib.WHERE], "version": importlib.metadata.version("greeting"),
 "data": importlib.resources.files("greeting").joinpath("words.txt").read_text(),
 "compiled": greeting.late.__cached__ is not None and os.path.exists(greeting.late.__cached__)}`;

/** The name of a snapshot without wheels, which ends with the hash of the runner. */
const ORDINARY = /-deno-[\d.]+-[\da-f]{16}\.snapshot$/;

let directory = '';
let path = '';
let sha256 = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-wheels-'));
  path = join(directory, 'greeting-1.2.0-py3-none-any.whl');
  await promisify(execFile)('python3', ['-c', MAKE, path]);
  sha256 = createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
  // Snapshots of these tests only, beside those without wheels that are there: to make one takes seconds of processor time.
  const kept = cacheDirectory() ?? '';
  vi.stubEnv('XDG_CACHE_HOME', directory);
  for (const name of await readdir(kept).catch(() => [])) {
    if (!ORDINARY.test(name)) continue;
    await cp(join(kept, name), join(cacheDirectory() ?? '', name), { preserveTimestamps: true });
  }
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true, force: true });
});

function executorWith(options: EmbeddedProviderOptions): SandboxExecutor {
  const provider = embeddedProvider(options);
  const executor = new SandboxExecutor({ provider, languages: ['python'] });
  onTestFinished(async () => {
    await executor.close();
    await provider.close();
  });
  return executor;
}

describe('wheels of an embedded sandbox', () => {
  it('are libraries with their modules, data and metadata, of which the model is told', async () => {
    const messages: string[] = [];
    const onProgress = (message: string): unknown => messages.push(message);
    const options = { wheels: [{ path, sha256 }], onProgress };
    const executor = executorWith(options);
    await executor.warmUp();
    expect(executor.software?.python?.libraries).toEqual([{ name: 'greeting', version: '1.2.0' }]);
    expect(executor.software?.javascript?.files).toBe(false);
    const { value, error } = await executor.execute(USE);
    expect(error).toBeUndefined();
    const expected = {
      hello: 'hello',
      late: 'late',
      schemes: ['purelib', 'platlib'],
      version: '1.2.0',
      data: 'hello, world',
      compiled: true,
    };
    expect(value).toEqual(expected);
    expect(messages).toHaveLength(1);
    // Unpacked once, into the snapshot, of which there is one for each set of wheels.
    expect((await executorWith(options).execute(USE)).value).toEqual(expected);
    expect(messages).toHaveLength(1);
    const without = await executorWith({}).execute('import greeting');
    expect(without.error?.message).toMatch(/Only the standard library is there/);
    const snapshots = await readdir(cacheDirectory() ?? '');
    const others = snapshots.filter((name) => !ORDINARY.test(name));
    expect(others).toEqual([expect.stringMatching(/-[\da-f]{16}-[\da-f]{16}\.snapshot$/)]);
    expect(snapshots).toContainEqual(others[0]?.replace(/-[\da-f]{16}\.snapshot$/, '.snapshot'));
  });

  it('do not count as files of programs', async () => {
    const provider = embeddedProvider({ wheels: [{ path }] });
    const limits = { temporaryStorageBytes: 65_536 };
    const executor = new SandboxExecutor({ provider, languages: ['python'], limits });
    onTestFinished(async () => {
      await executor.close();
      await provider.close();
    });
    const code = 'import greeting\nopen("file", "wb").write(bytes(60_000))';
    expect((await executor.execute(code)).value).toBe(60_000);
  });

  it.each([
    ['a file that is not there', 'none-1.0-py3-none-any.whl', undefined, /cannot be read: ENOENT/],
    [
      'another file',
      'other-1.0-py3-none-any.whl',
      'PK\u0003\u0004',
      /has the SHA-256 .*, and not 0/,
    ],
    ['a directory', 'folder-1.0-py3-none-any.whl', 'directory', /cannot be read: EISDIR/],
    ['no zip', 'text-1.0-py3-none-any.whl', 'text', /is not a zip file/],
  ])('are refused when they are read: %s', async (_what, name, content, message) => {
    const file = join(directory, name);
    if (content === 'directory') await mkdir(file);
    else if (content !== undefined) await writeFile(file, content);
    const wanted = name.startsWith('other') ? { sha256: '0'.repeat(64) } : {};
    const provider = embeddedProvider({ wheels: [{ path: file, ...wanted }] });
    onTestFinished(async () => provider.close());
    await expect(provider.create(specOf('wheels'))).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringMatching(message),
      details: { option: 'wheels', value: file },
    });
  });

  it.each([
    ['numpy-2.2.4-cp314-cp314-manylinux_2_28_x86_64.whl', /is for manylinux_2_28_x86_64\. Use/],
    ['numpy.tar.gz', /does not have the name of a wheel/],
    ['../numpy-;rm.whl', /does not have the name of a wheel/],
  ])('are refused at once by their names: %s', (name, message) => {
    expect(() => embeddedProvider({ wheels: [{ path: name }] })).toThrow(message);
  });

  it('are refused if they are too many, or too large together', async () => {
    const many = Array.from({ length: 101 }, (_, index) => ({
      path: `library${index}-1.0-py3-none-any.whl`,
    }));
    expect(() => embeddedProvider({ wheels: many })).toThrow(/at most 100 files/);
    const halves = ['one', 'two'].map((name) => ({
      path: join(directory, `${name}-1.0-py3-none-any.whl`),
    }));
    // Files with holes take no space.
    for (const half of halves) {
      await writeFile(half.path, 'PK\u0003\u0004');
      await truncate(half.path, 16 * 1024 * 1024 + 1);
    }
    const provider = embeddedProvider({ wheels: halves });
    onTestFinished(async () => provider.close());
    await expect(provider.create(specOf('wheels'))).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringMatching(/at most 33554432 bytes/),
    });
  });

  it.each([
    ['greeting', 'greeting-2.0-py3-none-any.whl'],
    ['Greeting', 'Greeting-1.2.0-py3-none-any.whl'],
    ['zope-Interface', 'zope_Interface-1.0-py3-none-any.whl'],
  ])(
    'are refused if there are two of a library, however its name is written: %s',
    (name, other) => {
      const wheels = [{ path }, { path: 'zope.interface-1.0-py3-none-any.whl' }, { path: other }];
      expect(() => embeddedProvider({ wheels })).toThrow(`${other} is the second one of ${name}.`);
    },
  );

  it('are refused if a hash is none', () => {
    const wrong = [{ path, sha256: 'abc' }];
    expect(() => embeddedProvider({ wheels: wrong })).toThrow(/wheels\.sha256 must be the 64/);
    const made = embeddedProvider({
      wheels: [{ path: 'numpy-2.2.4-cp314-cp314-pyodide_2026_0_wasm32.whl' }],
    });
    expect(made.name).toBe('embedded');
  });
});
