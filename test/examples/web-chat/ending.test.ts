import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type Docker from 'dockerode';
import { expect, it } from 'vitest';
import { decodeOwner } from '../../../src/sandbox/ownership/owner.ts';
import { untilNothingIsLeft } from '../../security/remains.ts';
import { describeWithBubblewrap, groupsOf, living } from '../../support/bubblewrap.ts';
import { descendantsOf } from '../../support/descendants.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { newDatabase, RUN, startChat, startService, startSupplier } from './chat-server.ts';
import type { ChatServer } from './chat-server.ts';
import { ChatUser, type Reading } from './chat-user.ts';

interface BusyServer extends ChatServer {
  readonly processId: number;
  readonly readings: readonly Reading[];
}

/** One with a program that waits for a tool, one that waits for approval, and one whose reader has left. */
async function busyServer(sandbox: string): Promise<BusyServer> {
  const supplier = await startSupplier();
  const environment = { SUPPLIER_URL: supplier.address, PROVIDER: sandbox };
  const chat = await startChat(await newDatabase(), await startService(), environment);
  const anna = new ChatUser(chat, 'anna');
  const left = await anna.say(await anna.start(), `${RUN}await delivery_days(product="lamp")`);
  await supplier.asked;
  left.leave();
  await supplier.clientGone;
  const asking = await anna.say(await anna.start(), `${RUN}await delivery_days(product="desk")`);
  await asking.until('tool-call-started');
  const ordering = await anna.say(
    await anna.start(),
    `${RUN}await order(product="desk", quantity=1)`,
  );
  await ordering.until('approval-requested');
  const processId = chat.process.child.pid ?? 0;
  return { ...chat, processId, readings: [asking, ordering] };
}

/** The files of the sockets that a process listens on. */
function socketFilesOf(processId: number): string[] {
  const directory = `/proc/${processId}/fd`;
  const inodes = new Set(
    readdirSync(directory).map((name) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`${directory}/${name}`))?.[1];
      } catch {
        // Closed since.
        return undefined;
      }
    }),
  );
  const lines = readFileSync('/proc/net/unix', 'utf8').trim().split('\n').slice(1);
  return lines.flatMap((line) => {
    const [, , , , , , inode, path] = line.trim().split(/\s+/);
    return path?.startsWith('/') && inodes.has(inode) ? [path] : [];
  });
}

async function containersOf(docker: Docker, processId: number): Promise<string[]> {
  const containers = await docker.listContainers({ all: true });
  return containers
    .filter(({ Labels }) => decodeOwner(Labels['sandboxed-ptc.owner'])?.processId === processId)
    .map(({ Id, State }) => `container ${Id}: ${State}`);
}

/** Ends it with a signal. @returns the processes and files that it had. */
async function end({ process: server, processId, readings }: BusyServer): Promise<{
  processes: number[];
  files: string[];
}> {
  const processes = descendantsOf(processId).map(({ id }) => id);
  const files = socketFilesOf(processId);
  expect(files).not.toEqual([]);
  // It may have told that it prepared an image.
  const { stderr } = server;
  server.child.kill('SIGTERM');
  for (const reading of readings) {
    const failed = await reading.until('failed');
    expect(failed).toMatchObject({ code: 'CLOSED', message: expect.stringContaining('restarted') });
  }
  await expect(server.finished()).resolves.toMatchObject({ status: 0, stderr });
  return { processes, files };
}

describeWithBubblewrap('a server that gets SIGTERM in the midst of runs in bubblewrap', () => {
  it('tells its readers, and leaves no process, mount, control group or socket', async () => {
    const server = await busyServer('bubblewrap');
    const { processes, files } = await end(server);
    expect(processes.length).toBeGreaterThan(2);
    await untilNothingIsLeft(async () => [
      // What a sandbox mounts is in a namespace that ends with its processes.
      ...living(processes).map((id) => `process ${id}`),
      ...groupsOf(server.processId),
      ...files.filter((file) => existsSync(file)),
    ]);
  });
});

describeWithEngine('a server that gets SIGTERM in the midst of runs in Docker', (docker) => {
  it('tells its readers, and leaves no container, process or socket', async () => {
    const server = await busyServer('docker');
    await expect(containersOf(docker, server.processId)).resolves.toHaveLength(3);
    const { processes, files } = await end(server);
    await untilNothingIsLeft(async () => [
      ...(await containersOf(docker, server.processId)),
      ...living(processes).map((id) => `process ${id}`),
      ...files.filter((file) => existsSync(file)),
    ]);
  });
});
