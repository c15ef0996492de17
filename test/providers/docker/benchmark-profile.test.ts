import type { ContainerInspectInfo } from 'dockerode';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { SandboxClient, specOf } from './support.ts';

/**
 * Section 5 of the CIS Docker Benchmark, 1.6.0, as `docker-bench-security` looks at it: the numbers
 * are its numbers. What it asks of a container is asked of a live session.
 */

/** What is no matter of a session, or what a session does otherwise on purpose. */
const DO_NOT_APPLY: Readonly<Record<string, string>> = {
  '5.1': 'Swarm mode is a setting of the engine. No session is a task of a swarm.',
  '5.27':
    'A health check would run a command beside the runner. The host sees on its streams whether a ' +
    'session is well, and closes one that is not.',
  '5.28':
    'Which version of an image is the latest is known where the image comes from. The image that we ' +
    'build is named by what is in it, so an old one is never taken for the current one.',
};

describeWithEngine('a live session, by the benchmark', (docker) => {
  let client: SandboxClient;
  let container: ContainerInspectInfo;
  let has: (module: string) => boolean;

  beforeAll(async () => {
    client = new SandboxClient(await dockerProvider().create(specOf('benchmark')));
    await client.next();
    // A session is live when it has run something.
    await client.run('import os\nos.system("true")');
    container = await docker.getContainer(client.sandbox.id).inspect();
    const { SecurityOptions: options }: { SecurityOptions?: readonly string[] } =
      await docker.info();
    has = (module) => options?.some((option) => option.includes(`name=${module}`)) === true;
  });
  afterAll(() => client.sandbox.close());

  const securityOptions = (): readonly string[] => container.HostConfig.SecurityOpt ?? [];

  it('5.2 is confined by AppArmor where the engine has it', () => {
    const profile: unknown = Reflect.get(container, 'AppArmorProfile');
    if (has('apparmor')) expect(profile).toMatch(/^(?!unconfined$)./);
    else expect(securityOptions().join(' ')).not.toContain('apparmor');
  });

  it('5.3 has security options, and its SELinux label where the engine has it', () => {
    expect(securityOptions()).not.toEqual([]);
    expect(securityOptions().join(' ')).not.toMatch(/label[=:]disable/);
    if (has('selinux')) expect(Reflect.get(container, 'ProcessLabel')).not.toBe('');
  });

  it('5.4 has no capability', () => {
    expect(container.HostConfig.CapAdd ?? []).toEqual([]);
    expect(container.HostConfig.CapDrop).toEqual(['ALL']);
  });

  it('5.5 is not privileged', () => {
    expect(container.HostConfig.Privileged).toBe(false);
  });

  it('5.6 mounts no directory of the machine', () => {
    expect(container.Mounts).toEqual([]);
    expect(container.HostConfig.Binds ?? []).toEqual([]);
  });

  it('5.7 runs the runner and nothing like sshd', async () => {
    const { Processes: processes } = await docker
      .getContainer(client.sandbox.id)
      .top({ ps_args: '-eo pid,args' });
    expect(processes.length).toBeGreaterThan(0);
    for (const [, command] of processes) expect(command).toMatch(/^python3 -I -S -B -c/);
  });

  it('5.8 has no privileged port', () => {
    expect(container.NetworkSettings.Ports).toEqual({});
  });

  it('5.9 opens no port at all', () => {
    expect(container.Config.ExposedPorts ?? {}).toEqual({});
    expect(container.HostConfig.PublishAllPorts).toBe(false);
  });

  it('5.10 is not in the machine’s network', () => {
    expect(container.HostConfig.NetworkMode).toBe('none');
  });

  it('5.11 has a limit of memory', () => {
    expect(container.HostConfig.Memory).toBe(256 * 2 ** 20);
  });

  it('5.12 has a limit of processor time', () => {
    expect(container.HostConfig.NanoCpus).toBe(5e8);
  });

  it('5.13 has a read-only root', () => {
    expect(container.HostConfig.ReadonlyRootfs).toBe(true);
  });

  it('5.14 takes no traffic from any interface', () => {
    expect(container.HostConfig.PortBindings ?? {}).toEqual({});
  });

  it('5.15 is not started again by the engine', () => {
    expect(container.HostConfig.RestartPolicy).toEqual({ Name: 'no', MaximumRetryCount: 0 });
  });

  it('5.16 has processes of its own', () => {
    expect(container.HostConfig.PidMode).toBe('');
  });

  it('5.17 shares no memory with others', () => {
    expect(container.HostConfig.IpcMode).toBe('none');
  });

  it('5.18 has no device of the machine', () => {
    expect(container.HostConfig.Devices ?? []).toEqual([]);
    expect(container.HostConfig.DeviceRequests ?? []).toEqual([]);
  });

  it('5.19 has limits of a process of its own, and not the engine’s', () => {
    const names = container.HostConfig.Ulimits?.map(
      (ulimit: { readonly Name?: string | undefined }) => ulimit.Name,
    );
    expect(names).toEqual(['nofile', 'core', 'fsize', 'memlock']);
  });

  it('5.20 passes no mount on to the machine', () => {
    expect(container.Mounts.filter(({ Propagation }) => /shared/.test(Propagation))).toEqual([]);
  });

  it('5.21 has a host name of its own', () => {
    expect(container.HostConfig.UTSMode).not.toBe('host');
  });

  it('5.22 has a filter of system calls', () => {
    const filters = securityOptions().filter((option) => option.startsWith('seccomp='));
    expect(filters).toHaveLength(1);
    expect(filters[0]).toContain('"defaultAction":"SCMP_ACT_ERRNO"');
  });

  it('5.23 is never entered with privileges', () => {
    expect(container.ExecIDs ?? []).toEqual([]);
  });

  it('5.24 is never entered as root', () => {
    expect(container.ExecIDs ?? []).toEqual([]);
    expect(container.Config.User).toMatch(/^[2-5]\d{4}:/);
  });

  it('5.25 is in the engine’s own control group', () => {
    expect(container.HostConfig.CgroupParent).toBe('');
  });

  it('5.26 can gain no privileges', () => {
    expect(securityOptions()).toContain('no-new-privileges:true');
  });

  it('5.29 has a limit of processes', () => {
    expect(container.HostConfig.PidsLimit).toBe(64);
  });

  it('5.30 is not on the default bridge', () => {
    const networks = Object.keys(container.NetworkSettings.Networks);
    expect(networks.filter((name) => name !== 'none')).toEqual([]);
  });

  it('5.31 does not share the machine’s user ids on purpose', () => {
    expect(container.HostConfig.UsernsMode).not.toBe('host');
  });

  it('5.32 has no socket of the engine', async () => {
    const found = await client.evaluate(`
import json, os, stat
sockets = []
for directory in ("/", "/run", "/var/run", "/tmp"):
    for name in os.listdir(directory):
        path = os.path.join(directory, name)
        try:
            if stat.S_ISSOCK(os.stat(path).st_mode):
                sockets.append(path)
        except OSError:
            pass
print(json.dumps(sockets))`);
    expect(found).toEqual([]);
  });

  it('was asked every question of the section, or the reason is said why not', ({ task }) => {
    const numbers = Array.from({ length: 32 }, (_item, index) => `5.${index + 1}`);
    const asked = task.suite?.tasks.flatMap(({ name }) => /^5\.\d+/.exec(name) ?? []) ?? [];
    const answered = [...asked, ...Object.keys(DO_NOT_APPLY)];
    expect(answered.toSorted()).toEqual(numbers.toSorted());
  });
});
