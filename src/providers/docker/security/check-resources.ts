import { protection, type Protection } from '../../../sandbox/protection.ts';
import type { Comparison } from './comparison.ts';
import {
  isEmpty,
  lacking,
  show,
  showByteLimit,
  temporaryOptions,
  ulimitTexts,
} from './inspected-values.ts';

/** Checks which files and devices a sandbox has besides those of its image. */
export function checkFiles({ made, host, asked, engine }: Comparison): Protection[] {
  const wanted = asked.HostConfig;
  const storage = made.Mounts.map((mount) => mount.Destination).filter(
    (path) => wanted.Tmpfs?.[path] === undefined,
  );
  const temporary = lacking(temporaryOptions(wanted.Tmpfs), temporaryOptions(host.Tmpfs));
  const more = lacking(Object.keys(host.Tmpfs ?? {}), Object.keys(wanted.Tmpfs ?? {}));
  const unlike = [...temporary, ...(engine === 'podman' ? [] : more)];
  const bound = !isEmpty(host.Binds) || !isEmpty(host.Mounts) || !isEmpty(host.VolumesFrom);
  const devices = [host.Devices, host.DeviceRequests, host.DeviceCgroupRules];
  const noDevices = devices.every((list) => isEmpty(list));
  return [
    protection(
      'root file system',
      'read-only',
      host.ReadonlyRootfs === true ? 'read-only' : 'writable',
      host.ReadonlyRootfs === true,
      'the root file system is writable',
    ),
    protection(
      'host directories',
      'none',
      bound ? 'some' : 'none',
      !bound,
      'directories of the host are mounted',
    ),
    protection(
      'storage',
      'none',
      storage.join(' ') || 'none',
      storage.length === 0,
      `the image mounts storage without a limit at ${storage.join(', ')}`,
    ),
    protection(
      'temporary files',
      temporaryOptions(wanted.Tmpfs).map(withoutPath).join(' '),
      unlike.length === 0 ? 'as asked' : `differs: ${unlike.join(' ')}`,
      unlike.length === 0,
      `the temporary storage is not what was requested (${unlike.join(', ')})`,
    ),
    protection(
      'devices',
      'none',
      noDevices ? 'none' : 'some',
      noDevices,
      'devices of the host are in the sandbox',
    ),
  ];
}

/** Checks the limits. */
export function checkResources({ host, asked }: Comparison): Protection[] {
  const wanted = asked.HostConfig;
  const limits = lacking(ulimitTexts(wanted.Ulimits), ulimitTexts(host.Ulimits));
  const noSwap = host.MemorySwap === wanted.MemorySwap;
  const processors = host.NanoCpus === wanted.NanoCpus;
  return [
    protection(
      'memory',
      showByteLimit(wanted.Memory),
      showByteLimit(host.Memory),
      host.Memory === wanted.Memory,
      'memory has no limit',
    ),
    protection(
      'memory',
      'killed when over',
      host.OomKillDisable === true ? 'not killed' : 'killed when over',
      host.OomKillDisable !== true,
      'processes that exceed the memory limit are not killed',
    ),
    protection(
      'swap',
      'none',
      noSwap ? 'none' : 'possible',
      noSwap,
      'swap has no limit, because the kernel does not count it (use control groups of version 2, or boot with swapaccount=1)',
    ),
    protection(
      'processors',
      show((wanted.NanoCpus ?? 0) / 1e9),
      show((host.NanoCpus ?? 0) / 1e9),
      processors,
      'processor time has no limit',
    ),
    protection(
      'processes',
      show(wanted.PidsLimit),
      show(host.PidsLimit),
      host.PidsLimit === wanted.PidsLimit,
      'the number of processes has no limit',
    ),
    protection(
      'process limits',
      ulimitTexts(wanted.Ulimits).join(' '),
      limits.length === 0 ? 'as asked' : `not ${limits.join(' ')}`,
      limits.length === 0,
      `limits of a process are missing (${limits.join(', ')})`,
    ),
    protection(
      'out-of-memory score',
      show(wanted.OomScoreAdj),
      show(host.OomScoreAdj),
      host.OomScoreAdj === wanted.OomScoreAdj,
      'the kernel does not end it first if the machine runs out of memory',
    ),
  ];
}

/** Checks what runs in the sandbox, and what remains after its end. */
export function checkLifetime({ made, host, asked }: Comparison): Protection[] {
  const { Config: config } = made;
  const command = JSON.stringify([config.Entrypoint, config.Cmd ?? []]);
  const ours = command === JSON.stringify([asked.Entrypoint, asked.Cmd]);
  const log = host.LogConfig?.Type;
  const [test = 'NONE'] = config.Healthcheck?.Test ?? [];
  const restart = host.RestartPolicy?.Name || 'no';
  const once = config.StdinOnce === asked.StdinOnce && config.OpenStdin === asked.OpenStdin;
  return [
    protection(
      'command',
      'the runner',
      ours ? 'the runner' : 'another',
      ours,
      'the container starts another command than the runner',
    ),
    protection(
      'command',
      'as process 1',
      host.Init === true ? 'under an init process' : 'as process 1',
      host.Init !== true,
      'the runner is not process 1, so programs can end it',
    ),
    protection(
      'standard input',
      'ends with its host',
      once && !config.Tty ? 'as asked' : 'differs',
      once && !config.Tty,
      'its standard input is not what was requested, so it may outlive its host',
    ),
    protection(
      'health check',
      'none',
      test.toLowerCase(),
      test === 'NONE',
      'a health check of the image runs beside the runner',
    ),
    protection(
      'log',
      'none',
      show(log),
      log === asked.HostConfig.LogConfig?.Type,
      `the engine writes its output to a log (${show(log)})`,
    ),
    protection(
      'removal',
      'by the engine',
      host.AutoRemove === true ? 'by the engine' : 'by nobody',
      host.AutoRemove === true,
      'the engine does not remove it when it ends',
    ),
    protection(
      'removal',
      'no restart',
      restart === 'no' ? 'no restart' : `restart ${restart}`,
      restart === 'no',
      `the engine starts it again (${restart})`,
    ),
  ];
}

function withoutPath(option: string): string {
  return option.replace(/^\/tmp:/, '');
}
