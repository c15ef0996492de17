import { execFile } from 'node:child_process';
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { bubblewrapProvider } from '../../../src/providers/bubblewrap/bubblewrap-provider.ts';
import type { SandboxSoftware } from '../../../src/sandbox/software/software.ts';
import { describeWithBubblewrap } from '../../support/bubblewrap.ts';
import { executorWith } from './executor-with.ts';
import { specOf } from '../docker/support.ts';

const run = promisify(execFile);
const PYTHON = '/usr/bin/python3';

/** Makes a wheel of one module, as a zip with its metadata, and installs it as an installer does. */
async function installWheel(directory: string, sitePackages: string): Promise<void> {
  const wheel = join(directory, 'greeting-1.2.0-py3-none-any.whl');
  const metadata = 'Metadata-Version: 2.1\nName: greeting\nVersion: 1.2.0\n';
  const make = `import zipfile
with zipfile.ZipFile(${JSON.stringify(wheel)}, "w") as wheel:
    wheel.writestr("greeting.py", "TEXT = 'hello'")
    wheel.writestr("greeting-1.2.0.dist-info/METADATA", ${JSON.stringify(metadata)})`;
  await run(PYTHON, ['-c', make]);
  await run(PYTHON, ['-m', 'zipfile', '-e', wheel, sitePackages]);
}

describeWithBubblewrap('interpreters of the user in bubblewrap sandboxes', () => {
  /** Not in `/tmp`, which each sandbox has for itself. Readable by all users, as sandboxes of root are others. */
  let project = '';

  beforeAll(async () => {
    project = await mkdtemp('/var/tmp/sandboxed-ptc-interpreters-');
    await chmod(project, 0o755);
  });

  afterAll(async () => rm(project, { recursive: true, force: true }));

  async function makeEnvironment(name: string): Promise<string> {
    const environment = join(project, name);
    await run(PYTHON, ['-m', 'venv', '--without-pip', environment]);
    return environment;
  }

  async function sitePackagesOf(environment: string): Promise<string> {
    const [version = ''] = await readdir(join(environment, 'lib'));
    return join(environment, 'lib', version, 'site-packages');
  }

  test('are a virtual environment with its libraries, of which nothing else is visible [bubblewrap/chosen-files]', async () => {
    const environment = await makeEnvironment('.venv');
    await installWheel(project, await sitePackagesOf(environment));
    await chmod(join(await sitePackagesOf(environment), 'greeting.py'), 0o666);
    await writeFile(join(project, '.env'), 'SECRET=1');
    await writeFile(join(environment, 'secret.txt'), 'SECRET=1');
    // The limits of a sandbox are set by the program of the system.
    await writeFile(join(environment, 'bin/prlimit'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const executor = executorWith({ python: join(environment, 'bin/python') });
    await executor.warmUp();
    expect(executor.software?.python?.libraries).toContainEqual({
      name: 'greeting',
      version: '1.2.0',
    });
    const result = await executor.execute(`import greeting, os, subprocess, sys
which = subprocess.run(["python3", "-c", "import sys; print(sys.prefix)"], capture_output=True, text=True)
try:
    open(greeting.__file__, "a")
except OSError as error:
    refusal = error.strerror
{"text": greeting.TEXT, "prefix": sys.prefix, "child": which.stdout.strip(), "write": refusal,
 "project": os.listdir(${JSON.stringify(project)}), "environment": sorted(os.listdir(sys.prefix))}`);
    expect(result.error).toBeUndefined();
    expect(result.value).toEqual({
      text: 'hello',
      prefix: environment,
      child: environment,
      write: 'Read-only file system',
      project: ['.venv'],
      environment: expect.not.arrayContaining(['secret.txt', 'include']),
    });
  });

  test('see a library that is installed later, and tell it', async () => {
    const environment = await makeEnvironment('later');
    const options = { python: join(environment, 'bin/python') };
    const software = async (): Promise<SandboxSoftware | undefined> => {
      const provider = bubblewrapProvider(options);
      onTestFinished(async () => provider.close());
      return provider.software?.();
    };
    const before = await software();
    expect(before?.python?.libraries).toEqual([]);
    await installWheel(project, await sitePackagesOf(environment));
    const after = await software();
    expect(after?.python?.libraries).toEqual([{ name: 'greeting', version: '1.2.0' }]);
  });

  test('are a Node in a directory of its own', async () => {
    const node = join(project, 'node-v/bin/node');
    await mkdir(join(project, 'node-v/bin'), { recursive: true });
    await copyFile(await realpath('/usr/bin/node'), node);
    await chmod(node, 0o755);
    const executor = executorWith({ node }, ['javascript', 'bash', 'python']);
    const own = await executor.execute('process.execPath', { language: 'javascript' });
    expect(own.value).toBe(node);
    const shell = await executor.execute('realpath "$(command -v node)"', { language: 'bash' });
    expect(shell.stdout.trim()).toBe(node);
    const python = await executor.execute('import sys\nsys.prefix', { language: 'python' });
    expect(python.value).toBe('/usr');
  });

  test('may print warnings when they start', async () => {
    const python = join(project, 'warning/bin/python3');
    await mkdir(join(python, '..'), { recursive: true });
    const script = `echo "$0: no version information available" >&2\nexec ${PYTHON} "$@"`;
    await writeFile(python, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const provider = bubblewrapProvider({ python });
    onTestFinished(async () => provider.close());
    const sandbox = await provider.create(specOf('warning'));
    await sandbox.close();
    expect(await provider.probe()).toMatchObject({
      description: expect.stringMatching(/ with Python \d+\.\d+\.\d+, /),
    });
  });

  const BROKEN: readonly (readonly [
    what: string,
    make: (directory: string) => Promise<string>,
    message: RegExp,
  ])[] = [
    ['no file', async () => join(project, 'none'), /none, is not a program/],
    [
      'a file that is not executable',
      async (name) => {
        const file = join(project, name);
        await writeFile(file, '', { mode: 0o644 });
        return file;
      },
      /is not a program\. Name the interpreter itself/,
    ],
    [
      'an environment whose Python is gone',
      async (name) => {
        const environment = await makeEnvironment(name);
        const python = join(environment, 'bin/python');
        await rm(python);
        await symlink('/opt/gone/bin/python3', python);
        return python;
      },
      /leads to \/opt\/gone\/bin\/python3, which is not a program.* make it again/,
    ],
    [
      'an environment whose installation is gone',
      async (name) => {
        const environment = await makeEnvironment(name);
        await writeFile(join(environment, 'pyvenv.cfg'), 'home = /opt/gone/bin\n');
        return join(environment, 'bin/python');
      },
      /was made with an interpreter in \/opt\/gone, which is gone\. Make the environment again/,
    ],
    [
      'an environment for another version of Python',
      async (name) => {
        const environment = await makeEnvironment(name);
        const library = join(await sitePackagesOf(environment), '..');
        await rename(library, join(library, '../python3.8'));
        return join(environment, 'bin/python');
      },
      /is now Python 3\.\d+, for which the environment .* was not made\. Make it again/,
    ],
    [
      'a script that chooses an interpreter',
      async (name) => {
        const shim = join(project, name, 'bin/python');
        await mkdir(join(shim, '..'), { recursive: true });
        await writeFile(shim, '#!/bin/sh\nexec /none/python "$@"\n', { mode: 0o755 });
        return shim;
      },
      /does not start in a sandbox \(.*not found\)\. Name the interpreter itself/,
    ],
    [
      'a program in /tmp',
      async () => {
        const directory = await mkdtemp('/tmp/sandboxed-ptc-python-');
        onTestFinished(async () => rm(directory, { recursive: true }));
        await mkdir(join(directory, 'bin'));
        await copyFile(await realpath(PYTHON), join(directory, 'bin/python'));
        return join(directory, 'bin/python');
      },
      /is in \/tmp, and each sandbox has a \/tmp of its own/,
    ],
    [
      'a program whose installation would be the home directory',
      async (name) => {
        const home = join(project, name);
        await mkdir(join(home, 'bin'), { recursive: true });
        await copyFile(await realpath(PYTHON), join(home, 'bin/python'));
        vi.stubEnv('HOME', home);
        onTestFinished(() => void vi.unstubAllEnvs());
        return join(home, 'bin/python');
      },
      /would make .* its installation, which has your own files/,
    ],
    [
      'a program in the directory that all programs of a user share',
      async (name) => {
        const local = join(project, name, '.local');
        await mkdir(join(local, 'bin'), { recursive: true });
        await copyFile(await realpath(PYTHON), join(local, 'bin/python'));
        return join(local, 'bin/python');
      },
      /would make .*\.local its installation, which has your own files/,
    ],
    [
      'an installation that leads out of its directory',
      async (name) => {
        const directory = join(project, name);
        await mkdir(join(directory, 'bin'), { recursive: true });
        await copyFile(await realpath(PYTHON), join(directory, 'bin/python'));
        await symlink('/etc', join(directory, 'share'));
        return join(directory, 'bin/python');
      },
      /share leads out of it, to \/etc/,
    ],
  ];

  test.each(BROKEN)('are refused with the reason: %s', async (what, make, message) => {
    const python = await make(what.replaceAll(' ', '-'));
    const provider = bubblewrapProvider({ python });
    onTestFinished(async () => provider.close());
    await expect(provider.create(specOf('interpreters'))).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringMatching(message),
      details: { option: 'python' },
    });
    expect(await provider.probe()).toMatchObject({
      usable: false,
      reason: expect.stringMatching(/bubblewrapProvider/),
    });
  });

  test.each([
    [
      'python',
      'echo ">"; echo 3.8; echo False; echo /; echo True',
      /is Python 3\.8\. Use Python 3\.9/,
    ],
    ['node', 'echo v18.20.0', /is Node 18\. Use Node 20/],
  ])('are refused if they are too old: %s', async (name, script, message) => {
    const program = join(project, `old-${name}/bin/${name}`);
    await mkdir(join(program, '..'), { recursive: true });
    await writeFile(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const provider = bubblewrapProvider({ [name]: program });
    onTestFinished(async () => provider.close());
    await expect(provider.create(specOf('interpreters'))).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringMatching(message),
    });
  });

  test.each([{ python: 'python3' }, { node: '' }, { python: 'a/\0' }])(
    'are paths: %j is refused at once',
    (options) => {
      expect(() => bubblewrapProvider(options)).toThrow(/must be a path, such as \.venv/);
    },
  );
});
