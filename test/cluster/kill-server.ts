import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Kills the processes of a program that are in a cluster's directory. The script starts them again. */
export function killServer(directory: string, program: string): void {
  signalServer(directory, program, 'SIGKILL');
}

/** Sends a signal to the processes of a program that are in a cluster's directory. */
export function signalServer(directory: string, program: string, signal: NodeJS.Signals): void {
  const found = readdirSync('/proc').filter((pid) => isServer(pid, directory, program));
  if (found.length === 0) throw new Error(`no ${program} of ${directory} runs`);
  for (const pid of found) process.kill(Number(pid), signal);
}

function isServer(pid: string, directory: string, program: string): boolean {
  if (!/^\d+$/.test(pid)) return false;
  try {
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return (
      commandLine.includes(directory) && readlinkSync(`/proc/${pid}/exe`).endsWith(`/${program}`)
    );
  } catch {
    // It has ended meanwhile.
    return false;
  }
}

/** Kills the first processes of a pod's containers that have such a command line. @param uid - Of the pod. */
export function killInContainer(uid: string, argument: string): void {
  const found = readdirSync('/proc').filter((pid) => isFirstOf(pid, uid, argument));
  if (found.length === 0) throw new Error(`no container of the pod ${uid} runs ${argument}`);
  for (const pid of found) process.kill(Number(pid), 'SIGKILL');
}

function isFirstOf(pid: string, uid: string, argument: string): boolean {
  if (!/^\d+$/.test(pid)) return false;
  try {
    const isFirst = /^NSpid:.*\t1$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return (
      isFirst &&
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(argument) &&
      readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(`/pod${uid}/`)
    );
  } catch {
    // It has ended meanwhile.
    return false;
  }
}
