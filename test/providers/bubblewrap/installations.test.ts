import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithBubblewrap } from '../../support/bubblewrap.ts';
import { executorWith } from './executor-with.ts';
import { makeWheel } from '../../support/make-wheel.ts';
import { skippedFor } from '../../support/skipped.ts';

const run = promisify(execFile);
const PYTHON = '/usr/bin/python3';
const FACTS = `import json, sys, sysconfig
print(json.dumps({"version": "%d.%d" % sys.version_info[:2], "library": sysconfig.get_path("stdlib"),
  "headers": sysconfig.get_path("include"), "suffix": sysconfig.get_config_var("EXT_SUFFIX")}))`;

/** An extension that calls a library of its own, which wheels have beside it. */
const EXTENSION = `#include <Python.h>
int answer(void);
static PyObject *call(PyObject *self, PyObject *none) { return PyLong_FromLong(answer()); }
static PyMethodDef methods[] = {{"answer", call, METH_NOARGS, ""}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "native", "", -1, methods};
PyMODINIT_FUNC PyInit_native(void) { return PyModule_Create(&module); }`;

interface Facts {
  readonly version: string;
  readonly library: string;
  readonly headers: string;
  readonly suffix: string;
}

async function factsOf(python: string): Promise<Facts> {
  const { stdout } = await run(python, ['-c', FACTS]);
  return JSON.parse(stdout) as Facts;
}

async function missingForExtensions(): Promise<string | undefined> {
  if (!existsSync('/usr/bin/gcc')) return 'there is no gcc';
  const { headers } = await factsOf(PYTHON);
  return existsSync(join(headers, 'Python.h'))
    ? undefined
    : `${PYTHON} has no headers; install python3-dev`;
}

const NO_EXTENSIONS = existsSync(PYTHON) ? await missingForExtensions() : `${PYTHON} is missing`;

async function evaluate(python: string, code: string): Promise<unknown> {
  const { value, error } = await executorWith({ python }).execute(code);
  expect(error).toBeUndefined();
  return value;
}

// As the installers lay them out, with the interpreters of this machine.
describeWithBubblewrap('the installations of tools in bubblewrap sandboxes', () => {
  /** Not in `/tmp`, which each sandbox has for itself. Readable by all users, as sandboxes of root are others. */
  let home = '';
  /** A directory with a Python and all that it needs. */
  let prefix = '';
  let facts: Facts;

  beforeAll(async () => {
    home = await mkdtemp('/var/tmp/sandboxed-ptc-installations-');
    await chmod(home, 0o755);
    facts = await factsOf(PYTHON);
    prefix = join(home, 'python');
    const library = join(prefix, 'lib', `python${facts.version}`);
    await mkdir(join(prefix, 'bin'), { recursive: true });
    await mkdir(library, { recursive: true });
    await copyFile(await realpath(PYTHON), join(prefix, 'bin', `python${facts.version}`));
    await run(
      'sh',
      ['-c', 'tar c --exclude=__pycache__ --exclude=test . | tar x -C "$0"', library],
      { cwd: facts.library },
    );
    await mkdir(join(library, 'site-packages'), { recursive: true });
  });

  afterAll(async () => rm(home, { recursive: true, force: true }));

  /** Gives the copied Python another place, without another copy of its files. */
  async function install(place: string): Promise<string> {
    await mkdir(dirname(place), { recursive: true });
    await run('cp', ['-al', prefix, place]);
    return join(place, 'bin', `python${facts.version}`);
  }

  /** Makes a virtual environment as uv does, which copies nothing of its Python. */
  async function environmentOf(python: string, environment: string): Promise<string> {
    const sitePackages = join(environment, 'lib', `python${facts.version}`, 'site-packages');
    await mkdir(join(environment, 'bin'), { recursive: true });
    await mkdir(sitePackages, { recursive: true });
    await symlink('lib', join(environment, 'lib64'));
    await symlink(python, join(environment, 'bin/python'));
    await symlink('python', join(environment, 'bin/python3'));
    const lines = [`home = ${dirname(python)}`, 'include-system-site-packages = false', ''];
    await writeFile(join(environment, 'pyvenv.cfg'), lines.join('\n'));
    return sitePackages;
  }

  test('uv: an environment whose Python is behind a link to its version', async () => {
    const versions = join(home, '.local/share/uv/python');
    const name = `cpython-${facts.version}`;
    await install(join(versions, `${name}.99-linux-x86_64-gnu`));
    await symlink(`${name}.99-linux-x86_64-gnu`, join(versions, `${name}-linux-x86_64-gnu`));
    const python = join(versions, `${name}-linux-x86_64-gnu/bin/python${facts.version}`);
    const environment = join(home, 'project/.venv');
    const sitePackages = await environmentOf(python, environment);
    await writeFile(join(sitePackages, 'greeting.py'), "TEXT = 'hello'");
    const value = await evaluate(
      join(environment, 'bin/python'),
      'import greeting, json, sys\n[greeting.TEXT, sys.prefix, json.__file__]',
    );
    const module = join(dirname(python), '../lib', `python${facts.version}/json/__init__.py`);
    expect(value).toEqual(['hello', environment, module]);
  });

  test('uv: an environment that was made with a link among the user’s own files', async () => {
    const installed = await install(join(home, 'kept/share/uv/python/cpython'));
    const local = join(home, 'kept/.local');
    await mkdir(join(local, 'bin'), { recursive: true });
    await mkdir(join(local, 'lib'));
    await mkdir(join(local, 'share/keyrings'), { recursive: true });
    await writeFile(join(local, 'share/keyrings/login.keyring'), 'secret');
    const python = join(local, 'bin', basename(installed));
    await symlink(installed, python);
    const environment = join(home, 'kept/project/.venv');
    await environmentOf(python, environment);
    const value = await evaluate(
      join(environment, 'bin/python'),
      `import os, sys\n[sys.prefix, os.path.realpath(sys.executable), os.listdir(${JSON.stringify(local)}), os.listdir(${JSON.stringify(dirname(python))})]`,
    );
    expect(value).toEqual([environment, installed, ['bin'], [basename(python)]]);
  });

  test('conda: an environment that is an installation of its own', async () => {
    const environment = join(home, 'miniconda3/envs/data');
    const python = await install(environment);
    await symlink(`python${facts.version}`, join(environment, 'bin/python'));
    await mkdir(join(environment, 'conda-meta'));
    await writeFile(join(environment, 'conda-meta/history'), 'https://user:secret@example.com');
    const value = await evaluate(
      join(environment, 'bin/python'),
      `import os, subprocess, sys
child = subprocess.run(["python", "-c", "import sys; print(sys.prefix)"], capture_output=True, text=True).stdout.strip()
[sys.prefix, child, sorted(os.listdir(sys.prefix)), os.listdir(${JSON.stringify(dirname(environment))})]`,
    );
    expect(python).toContain(environment);
    expect(value).toEqual([environment, environment, ['bin', 'lib'], ['data']]);
  });

  test('nvm: a Node in the directory of its version, with links to its packages', async () => {
    const version = join(home, '.nvm/versions/node/v22.0.0');
    await mkdir(join(version, 'bin'), { recursive: true });
    await mkdir(join(version, 'lib/node_modules/npm/bin'), { recursive: true });
    await copyFile(await realpath('/usr/bin/node'), join(version, 'bin/node'));
    await chmod(join(version, 'bin/node'), 0o755);
    const npm = "#!/usr/bin/env node\nconsole.log('npm of', process.execPath);\n";
    await writeFile(join(version, 'lib/node_modules/npm/bin/npm-cli.js'), npm, { mode: 0o755 });
    await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(version, 'bin/npm'));
    const node = join(version, 'bin/node');
    const executor = executorWith({ node }, ['javascript', 'bash']);
    const own = await executor.execute('process.execPath', { language: 'javascript' });
    expect(own).toMatchObject({ error: undefined, value: node });
    const shell = await executor.execute('"$(dirname "$(realpath "$(command -v node)")")/npm"', {
      language: 'bash',
    });
    expect(shell.stdout).toBe(`npm of ${node}\n`);
  });

  test(
    'a wheel with an extension and its library, as for manylinux, in a virtual environment',
    skippedFor(NO_EXTENSIONS),
    async () => {
      const build = await mkdtemp(join(home, 'build-'));
      await writeFile(join(build, 'answer.c'), 'int answer(void) { return 42; }');
      await writeFile(join(build, 'native.c'), EXTENSION);
      const cc = async (...args: string[]): Promise<unknown> =>
        run('gcc', ['-shared', '-fPIC', ...args], { cwd: build });
      await cc('-o', 'libanswer-1a2b.so', 'answer.c');
      const extension = `native${facts.suffix}`;
      const path = '-Wl,-rpath,$ORIGIN/native.libs';
      await cc('-I', facts.headers, '-o', extension, 'native.c', 'libanswer-1a2b.so', path);
      const python = `cp${facts.version.replace('.', '')}`;
      const wheel = await makeWheel(build, {
        name: 'native',
        version: '1.0',
        tag: `${python}-${python}-linux_x86_64`,
        copies: {
          [extension]: join(build, extension),
          'native.libs/libanswer-1a2b.so': join(build, 'libanswer-1a2b.so'),
        },
      });
      const environment = join(home, 'native/.venv');
      await run(PYTHON, ['-m', 'venv', '--without-pip', environment]);
      const sitePackages = join(environment, 'lib', `python${facts.version}`, 'site-packages');
      await run(PYTHON, ['-m', 'zipfile', '-e', wheel, sitePackages]);
      const interpreter = join(environment, 'bin/python');
      expect(await evaluate(interpreter, 'import native\nnative.answer()')).toBe(42);
      const executor = executorWith({ python: interpreter });
      await executor.warmUp();
      expect(executor.software?.python?.libraries).toEqual([{ name: 'native', version: '1.0' }]);
    },
  );
});
