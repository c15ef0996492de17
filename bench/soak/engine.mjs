// The container engine, without this package: kills sandboxes, and counts what is left.

import { readdir, readFile } from 'node:fs/promises';
import { LABELS } from '../../dist/providers/docker/container/container-config.js';
import { findEngine } from '../../dist/providers/docker/engine/engine.js';
import { killProcessOf } from '../chaos/kill.mjs';

/** The engine that the Docker provider would find. */
export async function openEngine() {
  const engine = await findEngine(undefined);
  const { docker } = engine;
  /** The processes whose containers count: this one, and the hosts that it started. */
  const owners = new Set([String(process.pid)]);
  /**
   * All containers of theirs so far. A runner may run longer than the engine lists its container.
   */
  const seen = new Set();
  const listOwn = async () => {
    const all = await docker.listContainers({ all: true, filters: { label: [LABELS.owner] } });
    // The label has the form machine/process/provider.
    const own = all.filter(({ Labels }) => owners.has(Labels[LABELS.owner].split('/')[1]));
    for (const { Id } of own) seen.add(Id);
    return own;
  };
  return {
    addOwner: (processId) => owners.add(String(processId)),
    /** Remembers the current containers, and returns them as the engine lists them. */
    look: listOwn,
    countContainers: async () => (await listOwn()).length,
    countProcesses: () => countProcessesOf(seen),
    /**
     * The number of processes of one container on this machine. Its engine may run on this machine,
     * or be dead.
     */
    countProcessesOf: (id) => countProcessesOf(new Set([id])),
    /** The process of this machine that is a container's first process; 0 if it has none. */
    async firstProcessOf(id) {
      const { State } = await docker.getContainer(id).inspect();
      return State.Pid;
    },
    /** Kills one process of a container. */
    killProcess: killProcessOf,
    /** Ends a container with all its processes. */
    kill: (id) => docker.getContainer(id).kill(),
    /** Removes a container that never started. */
    remove: (id) => docker.getContainer(id).remove(),
    close: () => engine.close(),
  };
}

/** Replaces the engine for sandboxes that are not containers. */
export const NO_ENGINE = {
  addOwner() {},
  async look() {},
  countContainers: async () => 0,
  countProcesses: async () => 0,
  close() {},
};

/** The number of processes on this machine in the control groups of these containers. */
export async function countProcessesOf(containerIds) {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const groups = await Promise.all(
    names.map((name) => readFile(`/proc/${name}/cgroup`, 'utf8').catch(() => '')),
  );
  const inOne = (text) => /[0-9a-f]{64}/.exec(text)?.[0];
  return groups.filter((text) => containerIds.has(inOne(text))).length;
}
