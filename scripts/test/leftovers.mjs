// Finds what a test run left behind: processes, containers and temporary files.
import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { clusterRemains } from './cluster.mjs';

/** Every process of the run inherits it, whoever its parent becomes. A held port has such a process. */
export const RUN_VARIABLE = 'SANDBOXED_PTC_TEST_RUN';

/** Kept by tools that we run for the next start of theirs. */
const CACHES_OF_TOOLS = new Set(['node-compile-cache', 'v8-compile-cache-0']);

/** As in scripts/test-engine.sh. */
const ENGINE_DIRECTORY =
  process.env.SANDBOXED_PTC_ENGINE_DIRECTORY ?? '/var/lib/sandboxed-ptc-test-engine';
const LABEL = 'sandboxed-ptc.owner';

/** What ends, ends in a moment; on a busy machine, the last processes and containers of a run need longer. */
const GONE_WITHIN_MS = 60_000;

/** What /proc says of a process. Its parts are empty if it has ended. */
async function readProcess(pid) {
  const read = (file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
  const fields = (await read('stat')).split(') ').at(-1).split(' ');
  return {
    commandLine: (await read('cmdline')).replaceAll('\0', ' ').trim(),
    environment: (await read('environ')).split('\0'),
    program: await readlink(`/proc/${pid}/exe`).catch(() => ''),
    parent: fields[1],
    start: fields[19],
  };
}

/** The processes that `isOurs` knows, by number and start, since numbers come again. */
async function processes(isOurs) {
  const found = new Map();
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const process = await readProcess(pid);
    if (process.commandLine === '' || !(await isOurs(process))) continue;
    found.set(`${pid}:${process.start}`, `process ${pid}: ${process.commandLine.slice(0, 200)}`);
  }
  return found;
}

/** Whether a program of Node that is not of this run is above a process, such as that of another test run. */
async function isOfAnother({ parent }, isOfRun) {
  for (let pid = parent; Number(pid) > 1;) {
    const above = await readProcess(pid);
    if (basename(above.program) === 'node') return !isOfRun(above);
    pid = above.parent;
  }
  return false;
}

/**
 * Looks at what is there before the run.
 * @param directory - For the temporary files of the run.
 * @returns a function that tells what has come since and stayed, waiting a little for the last to go.
 */
export async function watchProcesses(runId, directory) {
  const modules = resolve('node_modules');
  const isOfRun = ({ environment }) => environment.includes(`${RUN_VARIABLE}=${runId}`);
  // Sandboxes that are processes do not get the variable; the container engine is not ours alone.
  const lacksVariable = ({ commandLine, program }) =>
    (basename(program) === 'deno' && program.startsWith(modules)) ||
    (basename(program) === 'bwrap' && commandLine.includes('--as-pid-1 --seccomp'));
  const isOurs = async (process) =>
    isOfRun(process) ||
    // Neither does a cluster. Those of the run are in its directory.
    process.commandLine.includes(`${directory}/`) ||
    (lacksVariable(process) && !(await isOfAnother(process, isOfRun))) ||
    (process.commandLine.includes('dockerd') && process.commandLine.includes(ENGINE_DIRECTORY));
  const before = await processes(isOurs);
  return async ({ exceptEngine }) => {
    return untilNone(async () =>
      [...(await processes(isOurs))]
        .filter(([key, text]) => !before.has(key) && !(exceptEngine && text.includes('dockerd')))
        .map(([, text]) => text),
    );
  };
}

/** Looks for what is left until there is nothing, or until it is clear that something stays. */
async function untilNone(find) {
  for (const end = performance.now() + GONE_WITHIN_MS; ; await setTimeout(200)) {
    const left = await find();
    if (left.length === 0 || performance.now() > end) return left;
  }
}

/** Ends what an interrupted run has left, however it was started. */
export async function endProcesses(runId) {
  const isOurs = ({ environment }) => environment.includes(`${RUN_VARIABLE}=${runId}`);
  for (const key of (await processes(isOurs)).keys()) {
    const [pid] = key.split(':');
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch (error) {
      // It has ended meanwhile.
      if (error.code !== 'ESRCH') throw error;
    }
  }
}

/** Looks at the engine's containers before the run. @returns a function that tells the new ones that stay. */
export async function watchContainers(engineAddress) {
  const { default: Docker } = await import('dockerode');
  process.env.DOCKER_HOST = engineAddress;
  const docker = new Docker();
  const list = () => docker.listContainers({ all: true, filters: { label: [LABEL] } });
  const before = new Set((await list()).map(({ Id }) => Id));
  return async () =>
    untilNone(async () =>
      (await list())
        .filter(({ Id }) => !before.has(Id))
        .map(({ Id, State, Image }) => `container ${Id.slice(0, 12)}: ${State}, ${Image}`),
    );
}

/** What a cluster left outside of the processes and files of the run. */
export function clusterLeft(directory) {
  const { interfaces, controlGroups, mounts } = clusterRemains(directory);
  return [
    ...interfaces.map((name) => `network interface ${name}`),
    ...controlGroups.map((path) => `control group ${path}`),
    ...mounts.map((line) => `mount ${line}`),
  ];
}

/** What the run left in its own temporary directory. */
export async function temporaryFiles(directory) {
  const names = await readdir(directory);
  return names.filter((name) => !CACHES_OF_TOOLS.has(name)).map((name) => `temporary file ${name}`);
}
