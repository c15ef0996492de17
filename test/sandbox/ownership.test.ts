import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  decodeOwner,
  encodeOwner,
  judgeOwner,
  machineOf,
  UNKNOWN_MACHINE,
} from '../../src/sandbox/ownership/owner.ts';
import { isOwnerHeld, thisMachine } from '../../src/sandbox/ownership/ownership.ts';
import {
  type FoundSandbox,
  judgeSandbox,
  Ownership,
  removeOrphans,
  type SandboxVerdict,
} from '../../src/sandbox/provider-kit.ts';

const linux = {
  bootId: '7a1d3c1e-0000-4000-8000-000000000000',
  directory: '1b7c0d3e-1-2',
  hostName: 'box',
  userId: 1000,
};
const owner = { machine: machineOf(linux), processId: 42, id: randomUUID() };

test('an owner comes out of its label as it went in', () => {
  expect(decodeOwner(encodeOwner(owner))).toEqual(owner);
});

test.each(['', 'bench', 'host/1', 'host/one/a', 'host/1/a b', undefined])(
  'the label %j is nobody’s',
  (label) => {
    expect(decodeOwner(label)).toBeUndefined();
  },
);

test('another boot, directory of names, user or host is another machine [docker/label]', () => {
  const machines = new Set(
    [
      linux,
      { ...linux, bootId: 'b2' },
      { ...linux, directory: '1b7c0d3e-1-3' },
      { ...linux, userId: 0 },
      { ...linux, bootId: undefined },
      { ...linux, bootId: undefined, hostName: 'other' },
    ].map(machineOf),
  );
  expect(machines.size).toBe(6);
});

test('an owner of this machine lives as long as its name is held', async () => {
  await expect(judgeOwner(owner, owner.machine, async () => true)).resolves.toBe('alive');
  await expect(judgeOwner(owner, owner.machine, async () => false)).resolves.toBe('dead');
});

test('nothing is known of an owner elsewhere, of an unreadable one, or if the check fails [docker/unknown-owner]', async () => {
  const free = async (): Promise<boolean> => false;
  await expect(judgeOwner(owner, 'elsewhere', free)).resolves.toBe('unknown');
  await expect(judgeOwner(undefined, owner.machine, free)).resolves.toBe('unknown');
  const unnamed = { ...owner, machine: UNKNOWN_MACHINE };
  await expect(judgeOwner(unnamed, UNKNOWN_MACHINE, free)).resolves.toBe('unknown');
  const broken = async (): Promise<boolean> => Promise.reject(new Error('EPERM'));
  await expect(judgeOwner(owner, owner.machine, broken)).resolves.toBe('unknown');
});

test('an owner whose name was held in another directory never counts as dead [docker/unknown-owner]', async () => {
  await expect(isOwnerHeld({ ...owner, id: randomUUID() })).rejects.toThrow(
    'was replaced after the owner took its name',
  );
});

test('an owner counts as alive from its first label until its release [host/held-names, docker/owner]', async () => {
  const claim = new Ownership();
  const label = await claim.label();
  expect(await claim.label()).toBe(label);
  const claimed = decodeOwner(label);
  expect(claimed).toMatchObject({ machine: await thisMachine(), processId: process.pid });
  const judge = async (): Promise<string> => judgeOwner(claimed, await thisMachine(), isOwnerHeld);
  expect(await judge()).toBe('alive');
  await claim.release();
  expect(await judge()).toBe('dead');
});

/** A sandbox of the test’s own provider, with the verdict about it. */
function found(id: string, verdict: SandboxVerdict): FoundSandbox {
  return { id, sessionId: id, owner: undefined, createdAtMs: 0, state: 'running', verdict };
}

test('a sandbox is judged by its owner, unless it outlives it', async () => {
  const claim = new Ownership();
  const label = await claim.label();
  const judge = async (of: string, outlivesOwner = false): Promise<string> =>
    (await judgeSandbox({ label: of, outlivesOwner })).verdict;
  const own = { machine: await thisMachine(), processId: process.pid };
  await expect(judgeSandbox({ label })).resolves.toEqual({
    owner: own,
    verdict: 'live',
  });
  await claim.release();
  expect(await judge(label)).toBe('orphan');
  expect(await judge(label, true)).toBe('persistent');
  expect(await judge('elsewhere/1/a')).toBe('foreign');
  await expect(judgeSandbox({ label: undefined })).resolves.toEqual({
    owner: undefined,
    verdict: 'foreign',
  });
});

test('orphans alone are removed, and those that are gone are named', async () => {
  const sandboxes = [
    found('a', 'live'),
    found('b', 'orphan'),
    found('c', 'persistent'),
    found('d', 'foreign'),
    found('e', 'orphan'),
  ];
  const asked: string[] = [];
  const removed = await removeOrphans(sandboxes, async (id) => {
    asked.push(id);
    return id === 'e';
  });
  expect(asked).toEqual(['b', 'e']);
  expect(removed).toEqual([found('e', 'orphan')]);
});
