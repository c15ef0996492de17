import { access, constants, readFile } from 'node:fs/promises';
import { release } from 'node:os';
import { join } from 'node:path';
import { hasSandboxUsers } from '../../../sandbox/sandbox-user.ts';
import { hasSeccompProgram } from '../../../sandbox/seccomp/seccomp-program.ts';
import { messageOf } from '../../../shared/errors.ts';
import { PROGRAM_PATH } from '../start/bwrap-arguments.ts';
import { askProgram } from './ask-program.ts';
import { otherRuntime } from './host-runtime.ts';
import { isAtLeast } from './machine.ts';
import { describeStartFailure, type Refusal, type Switches } from './start-failure.ts';

/** Programs that are needed to start a sandbox, and their Debian packages. */
const PROGRAMS = {
  bwrap: 'bubblewrap',
  unshare: 'util-linux',
  prlimit: 'util-linux',
  mount: 'mount',
  python3: 'python3',
} as const;

/** The first version with `--clearenv`. */
const OLDEST_BWRAP = [0, 5] as const;
/** The first kernel that counts a user's processes by user namespace. */
const OLDEST_KERNEL = [5, 14] as const;

/**
 * Checks what is needed to start sandboxes. @returns the version of `bwrap`, or why no sandbox can
 * be started.
 */
export async function findBwrap(): Promise<{ readonly version: string } | Refusal> {
  if (process.platform !== 'linux') {
    return {
      reason: 'bubblewrap works only on Linux',
      remedy: 'Use the Docker or the embedded provider.',
    };
  }
  const runtime = otherRuntime(process.versions);
  if (runtime !== undefined) {
    return {
      reason: `${runtime} cannot open the pipes of its sandboxes`,
      remedy: `Use the Docker or the embedded provider with ${runtime}, or run this with Node.`,
    };
  }
  if (!hasSeccompProgram(process.arch)) {
    return {
      reason: `there is no filter of system calls for the architecture ${process.arch}`,
      remedy: 'Use the Docker provider on this machine.',
    };
  }
  const missing = await missingPrograms();
  if (missing.length > 0) {
    const packages = [...new Set(missing.map((name) => PROGRAMS[name]))];
    return {
      reason: `${missing.join(', ')} not found in ${PROGRAM_PATH}`,
      remedy: `Install it. On Debian or Ubuntu: apt-get install ${packages.join(' ')}.`,
    };
  }
  if (process.getuid?.() === 0 && !hasSandboxUsers(await readUserMap())) {
    return {
      reason: 'this user namespace does not have the user ids that sandboxes of root need',
      remedy:
        'Start this as an ordinary user, or map the user ids 20000 to 59999 into the namespace.',
    };
  }
  if (process.getuid?.() !== 0 && !isAtLeast(release(), OLDEST_KERNEL)) {
    return {
      reason: `Linux ${release()} cannot limit the processes of a single sandbox of an ordinary user`,
      remedy: 'Use Linux 5.14 or newer, or Docker.',
    };
  }
  return checkVersion();
}

/** Explains why a sandbox did not start, from its output and from settings of the machine. */
export async function explainStartFailure(printed: string): Promise<Refusal> {
  const [clone, most, appArmor] = await Promise.all([
    readSwitch('kernel/unprivileged_userns_clone'),
    readSwitch('user/max_user_namespaces'),
    readSwitch('kernel/apparmor_restrict_unprivileged_userns'),
  ]);
  const switches: Switches = {
    userNamespacesOff: clone === '0' || most === '0',
    restrictedByAppArmor: appArmor === '1',
  };
  return describeStartFailure(printed, switches);
}

async function readUserMap(): Promise<string> {
  return readFile('/proc/self/uid_map', 'utf8').catch(() => '');
}

async function missingPrograms(): Promise<(keyof typeof PROGRAMS)[]> {
  const names = Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[];
  const found = await Promise.all(names.map(isInstalled));
  return names.filter((_name, index) => !found[index]);
}

async function isInstalled(name: string): Promise<boolean> {
  const attempts = PROGRAM_PATH.split(':').map(async (directory) =>
    access(join(directory, name), constants.X_OK),
  );
  return Promise.any(attempts).then(
    () => true,
    () => false,
  );
}

async function checkVersion(): Promise<{ readonly version: string } | Refusal> {
  let printed: string;
  try {
    printed = await askProgram('bwrap', ['--version']);
  } catch (error) {
    const remedy = 'Run `bwrap --version` to see whether it works now, and try again.';
    return { reason: messageOf(error), remedy };
  }
  const version = /(\d+\.\d+\S*)/.exec(printed)?.[1] ?? 'of an unknown version';
  if (isAtLeast(version, OLDEST_BWRAP)) return { version };
  return { reason: `bubblewrap ${version} is too old`, remedy: 'Install version 0.5 or newer.' };
}

/** Undefined if this kernel does not have the setting. */
async function readSwitch(name: string): Promise<string | undefined> {
  return readFile(`/proc/sys/${name}`, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
}
