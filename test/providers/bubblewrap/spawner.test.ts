import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { bubblewrapProvider } from '../../../src/providers/bubblewrap/bubblewrap-provider.ts';
import {
  openPipe,
  type SpawnedProcess,
} from '../../../src/providers/bubblewrap/start/spawned-process.ts';
import { Spawner } from '../../../src/providers/bubblewrap/start/spawner.ts';
import type { SpawnRequest } from '../../../src/providers/bubblewrap/start/spawner-process.ts';
import { describeWithBubblewrap, living } from '../../support/bubblewrap.ts';
import { startTypeScript } from '../../support/typescript-process.ts';
import { SandboxClient, specOf } from '../docker/support.ts';
import { untilGone } from '../embedded/support.ts';
import { NO_ROOT, skippedFor } from '../../support/skipped.ts';

const REQUEST: SpawnRequest = { userId: undefined, inputs: [0], outputs: [1, 2], files: new Map() };

function openSpawner(...command: readonly string[]): Spawner {
  const spawner = new Spawner(command);
  onTestFinished(async () => spawner.close());
  return spawner;
}

/** Starts a shell that runs a script, which ends with the test. */
async function startShell(
  spawner: Spawner,
  script: string,
  request: Partial<SpawnRequest> = {},
): Promise<SpawnedProcess> {
  const shell = await spawner.start({ ...REQUEST, ...request });
  onTestFinished(() => shell.kill());
  shell.stream(0).end(script);
  return shell;
}

/** Waits for the echo of `cat`. Before it runs, its process has the files open that it is loaded from. */
async function answerOf(input: Socket, output: Socket): Promise<void> {
  input.write('?');
  await once(output, 'data');
}

/** The letter of its state and the id of its parent, by proc(5)'s `stat`; neither if it is gone. */
function factsOf(id: number | string): { state?: string; parent?: number } {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'latin1');
    const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return {};
  }
}

/** The process that started another one, which is neither this process nor the first of the machine. */
function spawnerOf(id: number | string): number {
  const { parent = 0 } = factsOf(id);
  expect(parent).toBeGreaterThan(1);
  expect(parent).not.toBe(process.pid);
  return parent;
}

async function openClient(provider = bubblewrapProvider()): Promise<SandboxClient> {
  onTestFinished(async () => provider.close());
  const client = new SandboxClient(await provider.create(specOf('spawner')));
  onTestFinished(async () => client.sandbox.close());
  await client.next();
  return client;
}

describeWithBubblewrap('a process that a spawner started', () => {
  test('reads and writes its pipes, and reports how it ended', async () => {
    const spawner = openSpawner('sh', '-s');
    const shell = await startShell(spawner, 'echo out; echo error >&2; cat <&5; exit 7', {
      inputs: [0, 5],
    });
    shell.stream(5).end('from the host');
    const printed = [shell.stream(1), shell.stream(2)].map(async (stream) => text(stream));
    expect(await Promise.all(printed)).toEqual(['out\nfrom the host', 'error\n']);
    expect(await shell.closed).toEqual({ status: 7, signal: null });
    const killed = await startShell(spawner, 'sleep 1000');
    killed.kill();
    expect(await killed.exited).toEqual({ status: null, signal: 'SIGKILL' });
  });

  test('has only the descriptors that it was started with, and none of another process [bubblewrap/spawner-reach]', async () => {
    const spawner = openSpawner('cat');
    const both = await Promise.all([
      spawner.start({ ...REQUEST, inputs: [0, 4] }),
      spawner.start({ ...REQUEST, files: new Map([[9, '/dev/null']]) }),
    ]);
    onTestFinished(() => both.forEach((each) => each.kill()));
    await Promise.all(both.map(async (each) => answerOf(each.stream(0), each.stream(1))));
    const [one, other] = both.map(({ id }) =>
      readdirSync(`/proc/${id}/fd`).map((name) => [name, readlinkSync(`/proc/${id}/fd/${name}`)]),
    );
    expect(one?.map(([name]) => name)).toEqual(['0', '1', '2', '4']);
    expect(other?.map(([name]) => name)).toEqual(['0', '1', '2', '9']);
    const targets = [...(one ?? []), ...(other ?? [])].map(([, target]) => target);
    expect(new Set(targets).size).toBe(targets.length);
  });

  test('has no descriptor that its host left open by mistake, and is killed when the host has ended', async () => {
    const program = new URL('../../../runner/spawner/spawner.py', import.meta.url);
    const spawner = spawn('python3', ['-I', '-S', '-B', program.pathname, 'cat'], {
      stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
    });
    onTestFinished(() => void spawner.kill());
    spawner.stdin?.write('start\0one\0-\0read 0\0write 1\0write 2\0\0');
    const [answer] = spawner.stdout ? await once(spawner.stdout, 'data') : [];
    const [, , id = ''] = String(answer).split(' ');
    const pipes = [openPipe(Number(id), 0, false), openPipe(Number(id), 1, true)] as const;
    onTestFinished(() => pipes.forEach((pipe) => pipe.destroy()));
    await answerOf(...pipes);
    expect(readdirSync(`/proc/${id}/fd`)).toEqual(['0', '1', '2']);
    spawner.stdin?.end();
    await untilGone(id);
  });

  test('has a session of its own, the root directory, one variable and no signal ignored', async () => {
    const shell = await startShell(openSpawner('sh', '-s'), 'exec cat /proc/self/stat');
    const [, , , , , session] = (await text(shell.stream(1))).split(' ');
    expect(session).toBe(String(shell.id));
    const script = 'pwd; tr "\\0" "\\n" < /proc/self/environ; grep SigIgn /proc/self/status';
    const other = await startShell(openSpawner('sh', '-s'), script);
    expect(await text(other.stream(1))).toMatch(/^\/\nPATH=[^\n]*\nSigIgn:\s+0+\n$/);
  });

  test('belongs to the requested user, without other groups', skippedFor(NO_ROOT), async () => {
    const shell = await startShell(openSpawner('sh', '-s'), 'id -u; id -G', { userId: 20_001 });
    expect(await text(shell.stream(1))).toBe('20001\n20001\n');
  });

  test('keeps its id until this process has seen that it ended', async () => {
    const spawner = openSpawner('sh', '-s');
    const shell = await startShell(spawner, 'sleep 1000');
    process.kill(shell.id, 'SIGKILL');
    // Without a turn of the event loop, in which this process would see it.
    while (factsOf(shell.id).state !== 'Z') expect(factsOf(shell.id).state).toBeDefined();
    expect(shell.isAlive()).toBe(true);
    expect(factsOf(shell.id).state).toBe('Z');
    await shell.exited;
    await untilGone(String(shell.id));
  });

  test('takes with it what it has started, if it is killed and if it ends', async () => {
    const spawner = openSpawner('sh', '-s');
    // A sandbox is in the state of these processes while `bwrap` makes it.
    const killed = await startShell(spawner, 'sleep 1000 & echo $!; wait');
    const ended = await startShell(spawner, 'sleep 1000 >/dev/null 2>&1 & echo $!');
    const started = await Promise.all(
      [killed, ended].map(async (shell) => once(shell.stream(1), 'data').then(String)),
    );
    killed.kill();
    await Promise.all([killed.exited, ended.exited]);
    for (const id of started) await untilGone(id.trim());
    expect(living(started.map(Number))).toEqual([]);
  });

  test('counts as ended if its spawner was killed, and its input ends', async () => {
    const waiting = await openSpawner('cat').start(REQUEST);
    waiting.stream(1).resume();
    waiting.stream(2).resume();
    process.kill(spawnerOf(waiting.id), 'SIGKILL');
    expect(await waiting.closed).toEqual({ status: null, signal: 'SIGKILL' });
    await untilGone(String(waiting.id));
  });

  test('is not started if a part of it is missing, and the error says so', async () => {
    await expect(openSpawner('no-such-program').start(REQUEST)).rejects.toMatchObject({
      code: 'SANDBOX_START_FAILED',
      message: expect.stringContaining('no-such-program was not found in /'),
    });
    const files = new Map([[6, '/no/such file']]);
    await expect(openSpawner('true').start({ ...REQUEST, files })).rejects.toMatchObject({
      code: 'SANDBOX_START_FAILED',
      message: expect.stringContaining('/no/such file'),
    });
  });

  test('leaves nothing behind if a hundred of them are started at once', async () => {
    const before = readdirSync('/proc/self/fd').length;
    const spawner = openSpawner('cat');
    const all = await Promise.all(Array.from({ length: 100 }, async () => spawner.start(REQUEST)));
    const spawnerId = spawnerOf(all[0]?.id ?? 0);
    const ends = await Promise.all(
      all.map(async (each) => {
        each.stream(0).end();
        for (const output of [1, 2]) each.stream(output).resume();
        return each.closed;
      }),
    );
    expect(ends).toEqual(all.map(() => ({ status: 0, signal: null })));
    await spawner.close();
    expect(factsOf(spawnerId)).toEqual({});
    expect(all.filter(({ id }) => factsOf(id).parent === spawnerId)).toEqual([]);
    await expect.poll(() => readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before);
  });
});

describeWithBubblewrap('the spawner of a provider', () => {
  test('that is killed takes its sandboxes with it, and another starts the next [bubblewrap/spawner-killed]', async () => {
    const provider = bubblewrapProvider();
    const client = await openClient(provider);
    const { id } = client.sandbox;
    const spawner = spawnerOf(id);
    process.kill(spawner, 'SIGKILL');
    await expect(client.closed).resolves.toMatchObject({ code: 'SANDBOX_LOST' });
    await untilGone(id);
    const next = await openClient(provider);
    expect(spawnerOf(next.sandbox.id)).not.toBe(spawner);
    expect(await next.evaluate('print(6 * 7)')).toBe(42);
  });

  test('ends when its host is killed [bubblewrap/spawner-orphaned]', async () => {
    const host = startTypeScript(new URL('./abandon-sandbox.ts', import.meta.url));
    onTestFinished(() => void host.kill('SIGKILL'));
    const [id] = await once(host.stdout, 'data');
    const spawner = spawnerOf(String(id).trim());
    host.kill('SIGKILL');
    await untilGone(String(spawner));
    await untilGone(String(id).trim());
    expect(living([spawner, Number(id)])).toEqual([]);
  });

  test('ends with the provider, and without it a while after the last sandbox', async () => {
    const closed = bubblewrapProvider();
    const first = await openClient(closed);
    const one = spawnerOf(first.sandbox.id);
    await first.sandbox.close();
    await closed.close();
    expect(factsOf(one)).toEqual({});
    const started = await new Spawner(['cat']).start(REQUEST);
    const other = spawnerOf(started.id);
    started.stream(0).end();
    await untilGone(String(other));
  });

  test('is out of reach of a program that ends all that it can [bubblewrap/spawner-reach]', async () => {
    const provider = bubblewrapProvider();
    const [bad, good] = await Promise.all([openClient(provider), openClient(provider)]);
    const spawner = spawnerOf(bad.sandbox.id);
    expect(spawnerOf(good.sandbox.id)).toBe(spawner);
    bad.start(
      'import os\nfor each in [-1, *map(str, range(2, 5000))]:\n  try: os.kill(int(each), 9)\n  except OSError: pass',
    );
    await bad.next();
    expect(factsOf(spawner).state).toMatch(/^[RS]$/);
    expect(await good.evaluate('print(6 * 7)')).toBe(42);
  });

  test(
    'lets no other user open its pipes, and has no address [bubblewrap/spawner-address]',
    skippedFor(NO_ROOT),
    async () => {
      const client = await openClient();
      const spawner = spawnerOf(client.sandbox.id);
      const options = { uid: 20_002, gid: 20_002, stdio: 'pipe' } as const;
      for (const descriptor of [0, 1]) {
        const path = `/proc/${spawner}/fd/${descriptor}`;
        expect(() => execFileSync('sh', ['-c', `exec 3<>${path}`], options)).toThrow(
          /[Pp]ermission denied/,
        );
      }
      const inodes = readdirSync(`/proc/${spawner}/fd`).flatMap(
        (name) => /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${spawner}/fd/${name}`))?.[1] ?? [],
      );
      expect(inodes).toHaveLength(3);
      const sockets = readFileSync('/proc/net/unix', 'latin1').split('\n');
      for (const inode of inodes) {
        // The last column is the address, if it has one.
        expect(sockets.filter((line) => line.endsWith(` ${inode}`))).toHaveLength(1);
      }
    },
  );
});
