import { describe, expect, it, vi } from 'vitest';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { runCli } from '../support/built-package.ts';
import { buildForever, failToBuild, startFakeEngine } from '../support/fake-engine.ts';

describe('an engine that answers and cannot build the image of sandboxes', () => {
  it('is not what auto chooses, nor what doctor says that it chooses', async () => {
    await using engine = await startFakeEngine({ build: failToBuild });
    const env = { DOCKER_HOST: engine.host };
    const checkup = await runCli(['doctor'], { env });
    expect(checkup.stdout).toMatch(/^docker +no +The engine could not build the sandbox image/m);
    expect(checkup.stdout).toContain('Unable to locate package nodejs');
    // Nobody waits without knowing what for.
    expect(checkup.stderr).toMatch(
      /^Building the sandbox image sandboxed-ptc:\w+\..*about a minute/m,
    );
    const [, named = 'none'] = /^--provider auto chooses (\w+)\.$/m.exec(checkup.stdout) ?? [];
    expect(['bubblewrap', 'embedded']).toContain(named);
    expect(checkup.status).toBe(0);

    const args = ['exec', '--json', '--provider', 'auto', '-'];
    const run = await runCli(args, { env, input: 'print(6 * 7)' });
    expect(JSON.parse(run.stdout)).toMatchObject({ success: true, stdout: '42\n' });
    expect(run.status).toBe(0);
  });

  it('is told once, with the reason, by an executor that takes another one', async () => {
    await using engine = await startFakeEngine({ build: failToBuild });
    vi.stubEnv('DOCKER_HOST', engine.host);
    const said: string[] = [];
    await using executor = new SandboxExecutor({ onProgress: (message) => said.push(message) });
    await expect(executor.providerName()).resolves.toMatch(/^(?:bubblewrap|embedded)$/);
    await expect(executor.execute('print(6 * 7)')).resolves.toMatchObject({ stdout: '42\n' });
    vi.unstubAllEnvs();
    const refusals = said.filter((message) => message.startsWith('Not docker: '));
    expect(refusals).toEqual([expect.stringContaining('Unable to locate package nodejs')]);
    expect(engine.builds).toBe(1);
  });

  it('fails with its own error if it is asked for by name', async () => {
    await using engine = await startFakeEngine({ build: failToBuild });
    const options = { env: { DOCKER_HOST: engine.host }, input: 'print(6 * 7)' };
    const { status, stdout, stderr } = await runCli(['exec', '--provider', 'docker', '-'], options);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^IMAGE_UNAVAILABLE: The engine could not build the sandbox image/);
  });

  it('holds up neither a caller who aborts nor a close while it builds', async () => {
    await using engine = await startFakeEngine({ build: buildForever });
    vi.stubEnv('DOCKER_HOST', engine.host);
    await using executor = new SandboxExecutor();
    const caller = new AbortController();
    const fails = async (waiting: Promise<unknown>, code: string): Promise<void> =>
      expect(waiting).rejects.toMatchObject({ code });
    const aborted = fails(executor.execute('1', { signal: caller.signal }), 'ABORTED');
    const closed = [fails(executor.execute('2'), 'CLOSED'), fails(executor.warmUp(), 'CLOSED')];
    await engine.buildAsked;
    caller.abort();
    await aborted;
    await executor.close();
    await Promise.all(closed);
    vi.unstubAllEnvs();
  });
});

describe('an engine that has the image and starts no container', () => {
  it('is what doctor reports as the choice of auto, as an error', async () => {
    await using engine = await startFakeEngine();
    const { status, stdout } = await runCli(['doctor'], { env: { DOCKER_HOST: engine.host } });
    expect(stdout).toMatch(
      /^docker +no +The container engine could not start the sandbox: no such thing/m,
    );
    expect(stdout).toContain('--provider auto chooses docker, which cannot start a sandbox.');
    expect(status).toBe(1);
  });
});
