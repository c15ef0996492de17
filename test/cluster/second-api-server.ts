import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { ClusterApi } from './api.ts';

const LOG_CHARS = 2000;

/**
 * Starts another API server for the objects of a cluster, which has an admission plugin besides. It ends with the test.
 * @returns a copy of the kubeconfig that leads to it.
 */
export async function startSecondApiServer(kubeconfig: string, plugin: string): Promise<string> {
  const [program = '', ...args] = commandOf(dirname(dirname(kubeconfig)));
  const port = await freePort();
  const own = args.map((argument) =>
    argument
      .replace(/^--secure-port=.*/, `--secure-port=${port}`)
      .replace(/^(--enable-admission-plugins=.*)/, `$1,${plugin}`),
  );
  const directory = mkdtempSync(join(tmpdir(), 'ptc-second-api-'));
  const log = join(directory, 'log');
  const server = spawn(program, own, { stdio: ['ignore', 'ignore', openSync(log, 'w')] });
  const ended = once(server, 'exit');
  onTestFinished(async () => {
    server.kill('SIGKILL');
    await ended;
    rmSync(directory, { recursive: true });
  });
  const file = join(directory, 'kubeconfig');
  const text = readFileSync(kubeconfig, 'utf8');
  writeFileSync(file, text.replace(/(server: "?https:\/\/127\.0\.0\.1:)\d+/, `$1${port}`));
  const api = new ClusterApi(file);
  const whyNotReady = async (): Promise<string> =>
    api.request('GET', '/readyz').then(
      ({ status, body }) => (status === 200 ? '' : body),
      () =>
        server.exitCode === null
          ? 'it does not answer'
          : readFileSync(log, 'utf8').slice(-LOG_CHARS),
    );
  await expect.poll(whyNotReady, { timeout: 200_000 }).toBe('');
  return file;
}

/** The command line of the API server that runs. */
function commandOf(directory: string): readonly string[] {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
      const isServer = readlinkSync(`/proc/${pid}/exe`).endsWith('/kube-apiserver');
      if (isServer && words.some((word) => word.includes(directory))) return words;
    } catch {
      // It has ended meanwhile.
    }
  }
  throw new Error(`no API server of ${directory} runs`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
