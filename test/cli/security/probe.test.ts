import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parseFacts, probeProgram } from '../../../src/cli/security/facts.ts';
import { judgeFacts } from '../../../src/cli/security/judge-facts.ts';
import { examine } from '../../../src/cli/security/examine.ts';
import { MASKED_PATHS, READ_ONLY_PATHS } from '../../../src/sandbox/hidden-paths.ts';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { embeddedProvider } from '../../../src/providers/embedded/embedded-provider.ts';
import { DEFAULT_LIMITS } from '../../../src/sandbox/sandbox.ts';
import { describeWithEngine } from '../../support/engine.ts';

const never = new AbortController().signal;

it('the probe runs on the oldest Python that sandboxes may have', () => {
  const check = 'import ast, sys\nast.parse(open(sys.argv[1]).read(), feature_version=(3, 9))';
  const probe = new URL('../../../runner/probe/security_probe.py', import.meta.url);
  const { status, stderr } = spawnSync('python3', ['-c', check, fileURLToPath(probe)]);
  expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: '' });
});

it('the probe examines its supervisor, even if that is not process 1', async () => {
  const isolation = [
    '--die-with-parent',
    '--ro-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    '--unshare-all',
    '--cap-drop',
    'ALL',
  ];
  const fork = 'import os, sys\ncode = sys.stdin.read()\nos.wait() if os.fork() else exec(code)';
  const { stdout } = spawnSync('bwrap', [...isolation, 'python3', '-c', fork], {
    input: await probeProgram([], [], '/tmp/none'),
    timeout: 30_000,
    killSignal: 'SIGKILL',
  });
  const { supervisor } = parseFacts(stdout.toString()).facts;
  // A program can access an ordinary process of its user, and end it.
  expect(supervisor).toMatchObject({ mem: 'done', descriptors: 'done', signals: 'done' });
});

it('every protection of an embedded sandbox holds from inside', async () => {
  const provider = embeddedProvider();
  const { rows, notes, failure } = await examine(provider, never);
  await provider.close();
  expect(failure).toBeUndefined();
  expect(rows.filter(({ verdict }) => verdict === 'missing')).toEqual([]);
  expect(rows).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'network', seen: expect.stringMatching(/^connecting: E/) }),
      expect.objectContaining({ name: 'JavaScript', seen: 'making code: EvalError' }),
    ]),
  );
  expect(notes).toEqual(
    expect.arrayContaining([expect.stringMatching(/^No filter of system calls/)]),
  );
});

describeWithEngine('the probe', (docker) => {
  it('finds every protection of a sandbox, and each that the provider reports [host/doctor-security]', async () => {
    const provider = dockerProvider();
    const { rows, failure } = await examine(provider, never);
    await provider.close();
    expect(failure).toBeUndefined();
    expect(rows.filter(({ verdict }) => verdict !== 'holds')).toEqual([]);
    // Nothing was left out because it could not be seen.
    expect(rows.filter(({ seen }) => seen === '–').map(({ name }) => name)).toEqual([
      'runtime',
      'command',
      'standard input',
      'health check',
      'log',
      'removal',
    ]);
  });

  it('reports each protection that a container without a profile lacks [host/doctor-security]', async () => {
    const provider = dockerProvider();
    const sandbox = await provider.create({
      sessionId: `probe-${randomUUID()}`,
      languages: ['python'],
      limits: DEFAULT_LIMITS,
    });
    const { Image: image } = await docker.getContainer(sandbox.id).inspect();
    await sandbox.close();
    await provider.close();
    // All that an engine gives by itself, and no filter.
    const hostConfig = {
      NetworkMode: 'none',
      AutoRemove: true,
      SecurityOpt: ['seccomp=unconfined'],
      CgroupnsMode: 'host',
    };
    const container = await docker.createContainer({
      Image: image,
      User: '20000:20000',
      Env: ['HOST_VARIABLE=1'],
      Entrypoint: ['python3', '-c', await probeProgram(MASKED_PATHS, READ_ONLY_PATHS, '/tmp/none')],
      HostConfig: hostConfig,
    });
    const stream = await container.attach({ stream: true, stdout: true, stderr: true });
    const [output, errors] = [new PassThrough(), new PassThrough()];
    docker.modem.demuxStream(stream, output, errors);
    stream.on('end', () => output.end());
    await container.start();
    const { facts, missing: unknown } = parseFacts((await buffer(output)).toString());
    expect(unknown).toEqual([]);
    const expected = { limits: DEFAULT_LIMITS, hostVariable: 'HOST_VARIABLE' };
    const missing = judgeFacts(facts, expected).filter(({ holds }) => !holds);
    const names = new Set(missing.map(({ name }) => name));
    expect([...names].sort()).toEqual([
      'capabilities',
      'control group',
      'devices',
      'environment',
      'hidden paths',
      'memory',
      'network',
      'new privileges',
      'out-of-memory score',
      'process limits',
      'processes',
      'processors',
      'root file system',
      'storage',
      'supervisor',
      'swap',
      'system calls',
      'temporary files',
    ]);
  });
});
