import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type Docker from 'dockerode';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sweepAlone } from '../providers/docker/sweep-lock.ts';
import { describeWithBubblewrap } from '../support/bubblewrap.ts';
import { runCli } from '../support/built-package.ts';
import { describeWithEngine } from '../support/engine.ts';
import { startTypeScript } from '../support/typescript-process.ts';
import { ProgramDirectory } from './support.ts';

/** A provider of a module: bubblewrap with more mounts, and what it does with a sandbox. */
const withMounts = (mounts: string, use = ''): string => `
import { runnerCommand, startProcess } from ${JSON.stringify(pathToFileURL(resolve('dist/sandbox/provider-kit.js')).href)};
const links = ['bin', 'lib', 'lib64'].flatMap((name) => ['--symlink', 'usr/' + name, '/' + name]);
const bwrap = ['bwrap', '--unshare-all', '--die-with-parent', '--ro-bind', '/usr', '/usr', ...links,
  ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'], ${mounts}, '--'];
export default {
  name: 'mounting',
  languages: ['python'],
  create: async (spec, options) => {
    const sandbox = await startProcess([...bwrap, ...(await runnerCommand(spec))], {
      ...options,
      environment: { PATH: process.env.PATH },
      directory: '/',
    });
    ${use}
    return sandbox;
  },
  probe: async () => ({ usable: true, description: 'bwrap' }),
  close: async () => {},
};
`;

/** The sandboxes see the root of the host at `/old`. */
const LEAVES_ROOT = withMounts(`'--ro-bind', '/', '/old'`);

/** Bubblewrap's sandboxes, which do not show their limits inside, without the report of the provider. */
const REPORTS_NOTHING = `
import { bubblewrapProvider } from ${JSON.stringify(pathToFileURL(resolve('dist/providers/bubblewrap/index.js')).href)};
const bubblewrap = bubblewrapProvider();
export default {
  name: 'silent',
  languages: ['python'],
  create: async (spec, options) =>
    Object.assign(await bubblewrap.create(spec, options), { security: undefined }),
  probe: (options) => bubblewrap.probe(options),
  close: () => bubblewrap.close(),
};
`;

/** Ends the sandbox when the probe has said that it now looks at the hidden paths. */
const END_AT_HIDDEN_PATHS = `
  const { transport } = sandbox;
  const listen = transport.listen.bind(transport);
  transport.listen = (listener, calls) => {
    const message = (told, line) => {
      listener.message(told, line);
      if (told.text?.endsWith('"shown_paths"\\n')) void sandbox.close();
    };
    listen({ ...listener, message }, calls);
  };
`;

const NO_ENGINE = { DOCKER_HOST: 'unix:///nonexistent' };

describe('doctor', () => {
  it('runs a program in what works here, and says what auto takes', async () => {
    const { status, stdout } = await runCli(['doctor'], { env: NO_ENGINE });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Node\.js +\d+\.\d+\.\d+$/m);
    expect(stdout).toMatch(/^deno +\d+\.\d+\.\d+$/m);
    expect(stdout).toMatch(/^embedded +works {2}Deno .+ gave 42 in [\d.]+ m?s/m);
    expect(stdout).toMatch(
      /^ +Python 3\.14\.\d+, without further libraries\. None can be installed\.$/m,
    );
    expect(stdout).toMatch(/^docker +no .*no container engine answers/m);
    expect(stdout).toContain('Start Docker or Podman');
    expect(stdout).toMatch(/^--provider auto chooses (?:bubblewrap|embedded)\.$/m);
  });
});

describeWithBubblewrap('doctor without an engine', () => {
  it('has auto take bubblewrap if control groups bound its memory', async () => {
    const { stdout } = await runCli(['doctor'], { env: NO_ENGINE });
    expect(stdout).toMatch(/^bubblewrap +works {2}bubblewrap .+ gave 42 in [\d.]+ m?s/m);
    const isBounded = stdout.includes('limited by control groups');
    expect(stdout).toContain(`--provider auto chooses ${isBounded ? 'bubblewrap' : 'embedded'}.`);
    expect(stdout.includes('auto chooses it only if no other provider works')).toBe(!isBounded);
  });

  it('finds what the provider of a module lacks, such as a root of the host that it left', async () => {
    await using directory = await ProgramDirectory.with({ 'provider.mjs': LEAVES_ROOT });
    const module = join(directory.path, 'provider.mjs');
    const { status, stdout } = await runCli(['doctor', '--security', '--provider', module]);
    expect(stdout).toMatch(/^mounting \(bwrap\)$/m);
    expect(stdout).toMatch(/^host directories .* the host’s files in \/old .* missing$/m);
    expect(stdout).toMatch(/^system calls .* filter mode 0, .* missing$/m);
    expect(stdout).toMatch(/^environment .* none of the host’s +holds$/m);
    expect(status).toBe(1);
  });

  it('shows what the probe found until it was stopped, and where that was', async () => {
    // The probe opens each hidden path. Nobody opens the other end of this one.
    await using directory = await ProgramDirectory.with({});
    const pipe = join(directory.path, 'pipe');
    spawnSync('mkfifo', [pipe]);
    const mount = `'--bind', ${JSON.stringify(pipe)}, '/sys/block'`;
    const module = join(directory.path, 'provider.mjs');
    await writeFile(module, withMounts(mount, END_AT_HIDDEN_PATHS));
    const args = ['doctor', '--security', '--provider', module];
    const { status, stdout } = await runCli(args);
    expect(stdout).toMatch(/^new privileges .* holds$/m);
    expect(stdout).toMatch(/^temporary files .* missing$/m);
    expect(stdout).toMatch(/^hidden paths .* no answer \(sandbox-lost\) +unknown$/m);
    expect(stdout).toMatch(/^supervisor .* not examined +unknown$/m);
    expect(stdout).toMatch(
      /^error: The probe inside the sandbox ended with sandbox-lost while it collected\s+shown_paths: /m,
    );
    expect(stdout).not.toContain('All protections are in place.');
    expect(status).toBe(1);
    const json: unknown = JSON.parse((await runCli([...args, '--json'])).stdout);
    expect(json).toMatchObject({
      holds: false,
      failure: expect.stringContaining('It did not report shown_paths, '),
      rows: expect.arrayContaining([
        expect.objectContaining({ name: 'new privileges', verdict: 'holds' }),
      ]),
    });
  });

  it('does not say that all is in place if nobody can tell', async () => {
    await using directory = await ProgramDirectory.with({ 'provider.mjs': REPORTS_NOTHING });
    const module = join(directory.path, 'provider.mjs');
    const args = ['doctor', '--security', '--provider', module];
    const { status, stdout } = await runCli(args);
    expect(stdout).toMatch(/^memory .* not found out +unknown$/m);
    expect(stdout).toMatch(/^control group .* its own +holds$/m);
    expect(stdout).toMatch(/^Not known: memory, swap, processors, processes\.$/m);
    expect(stdout).not.toMatch(/All protections are in place\.|^Missing: |^error: /m);
    expect(status).toBe(1);
    const json: unknown = JSON.parse((await runCli([...args, '--json'])).stdout);
    expect(json).toMatchObject({ holds: false });
  });

  it('shows the protections of bubblewrap from both sides, and the missing ones [host/doctor-groups]', async () => {
    const { status, stdout } = await runCli(['doctor', '--security', '--provider', 'bubblewrap']);
    expect(stdout).toMatch(/^namespaces +its own +as asked +\d processes +holds$/m);
    expect(stdout).toMatch(
      /^system calls +our list +as asked +filter mode 2, .*all refused +holds$/m,
    );
    expect(stdout).toMatch(/^supervisor +out of reach .*all refused +holds$/m);
    // Where there are control groups, and where there are none.
    expect(stdout).toMatch(
      /^processors +cpu\.\S+=50000\b.* as asked .* holds$|^note: No control groups: /m,
    );
    expect(stdout).toContain('All protections are in place.');
    expect(status).toBe(0);
  });
});

describe('doctor --security', () => {
  it.each([
    ['dcker', undefined, /Allowed choices are auto, .*, and the path of a module/],
    ['./none.mjs', undefined, /there is no such file/],
    ['./provider.mjs', 'export default []', /must have a provider as its default export/],
    [
      './provider.mjs',
      'export default { name: "x", languages: ["bash"], create() {}, probe() {}, close() {} }',
      /has no Python/,
    ],
  ])('refuses %s, if it contains %s', async (provider, text, reason) => {
    await using directory = await ProgramDirectory.with({ 'provider.mjs': text ?? '' });
    const args = ['doctor', '--security', '--provider', provider];
    const { status, stderr } = await runCli(args, { cwd: directory.path });
    expect(stderr).toMatch(reason);
    expect(status).toBe(2);
  });

  it('shows the protections of the embedded sandbox, and the missing ones', async () => {
    const { status, stdout } = await runCli(['doctor', '--security', '--provider', 'embedded']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^permissions +none: read write net .* as asked .* holds$/m);
    expect(stdout).toMatch(/^network .*connecting: E\w+ +holds$/m);
    expect(stdout).toMatch(/^note: No filter of system calls/m);
  });

  it('fails if the requested provider does not work', async () => {
    const args = ['doctor', '--security', '--provider', 'docker'];
    const { status, stderr } = await runCli(args, { env: NO_ENGINE });
    expect(status).toBe(1);
    expect(stderr).toContain('no container engine answers');
  });
});

const HOST = new URL('../providers/docker/sandbox-host.ts', import.meta.url);

/** A sandbox in a process of its own, and how to make an orphan of it. */
async function startSandbox(
  docker: Docker,
): Promise<{ session: string; processId: number | undefined; orphan: () => Promise<void> }> {
  const session = `doctor-${randomUUID()}`;
  const host = startTypeScript(HOST, session);
  onTestFinished(() => void host.kill('SIGKILL'));
  await once(host.stdout, 'data');
  const [container] = await docker.listContainers({
    filters: { label: [`sandboxed-ptc.session=${session}`] },
  });
  return {
    session,
    processId: host.pid,
    async orphan() {
      // Stopped, it cannot heed the end of its input.
      await docker.getContainer(container?.Id ?? '').kill({ signal: 'SIGSTOP' });
      host.kill('SIGKILL');
      await once(host, 'exit');
    },
  };
}

describeWithEngine('doctor', (docker) => {
  it('mentions orphans, and removes them with --clean, but no sandbox of a live process [host/doctor-clean]', async () => {
    await sweepAlone();
    const [live, dead] = await Promise.all([startSandbox(docker), startSandbox(docker)]);
    await dead.orphan();
    const checkup = await runCli(['doctor']);
    expect(checkup.stdout).toMatch(/orphaned sandbox(es)?: sandboxed-ptc doctor --clean/);
    const first = await runCli(['doctor', '--clean']);
    expect(first.status).toBe(0);
    expect(first.stdout).toMatch(
      new RegExp(
        `^[0-9a-f]{12} +${live.session} +pid ${live.processId} +\\d+ s +running +live$`,
        'm',
      ),
    );
    expect(first.stdout).toMatch(
      new RegExp(
        `^[0-9a-f]{12} +${dead.session} +pid ${dead.processId} +\\d+ s +running +orphan$`,
        'm',
      ),
    );
    expect(first.stdout).toMatch(/^docker: \d+ orphaned sandbox(es)? removed\.$/m);
    expect(first.stdout).toMatch(/^embedded: .*nothing to clean/m);
    const second = await runCli(['doctor', '--clean']);
    expect(second.stdout).toContain(live.session);
    expect(second.stdout).not.toContain(dead.session);
  });

  it('shows with --security that every protection of a container holds [host/doctor-security]', async () => {
    const { status, stdout } = await runCli(['doctor', '--security', '--provider', 'docker']);
    expect(stdout).toMatch(/^protection +asked for +reported +observed inside +verdict$/m);
    expect(stdout).toMatch(
      /^system calls +our list +as asked +filter mode 2, .*all refused +holds$/m,
    );
    expect(stdout).toMatch(/^supervisor +out of reach .*all refused +holds$/m);
    expect(stdout).toContain('All protections are in place.');
    expect(status).toBe(0);
  });

  it('prints the same as JSON with --json', async () => {
    const { status, stdout } = await runCli(['doctor', '--security', '--json']);
    const report: unknown = JSON.parse(stdout);
    expect(status).toBe(0);
    expect(report).toMatchObject({ provider: 'docker', holds: true });
    expect(report).toHaveProperty(
      'rows',
      expect.arrayContaining([
        {
          name: 'memory',
          asked: '256 MiB, killed when over',
          applied: 'as asked',
          seen: '256 MiB',
          verdict: 'holds',
        },
      ]),
    );
  });

  it('cleans what can be reached, and says what cannot', async () => {
    const { status, stdout } = await runCli(['doctor', '--clean'], { env: NO_ENGINE });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^docker: no container engine answers/m);
  });
});
