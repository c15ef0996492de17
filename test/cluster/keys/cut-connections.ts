import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { tmpdir } from 'node:os';

/** The way of one host to the API server. */
export interface Way {
  /** The file of the same user, who goes this way. */
  readonly kubeconfig: string;
  /** From now on, connections stay open and nothing passes, as behind a cable that was pulled out. */
  cut(): void;
  /** New connections work again. Those that were cut never do. */
  mend(): void;
  close(): void;
}

/** Makes a way that can be cut to the API server of a kubeconfig. `close` it. */
export async function startWay(kubeconfig: string): Promise<Way> {
  const text = readFileSync(kubeconfig, 'utf8');
  const [, port] = /server: .*:(\d+)/.exec(text) ?? [];
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    sockets.add(near);
    // Whoever gives up a connection that is cut ends it.
    near.on('error', () => near.destroy());
    if (isCut) return;
    const far = connect(Number(port), '127.0.0.1');
    sockets.add(far);
    far.on('error', () => far.destroy());
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const directory = mkdtempSync(join(tmpdir(), 'sandboxed-ptc-way-'));
  const file = join(directory, 'kubeconfig');
  const { port: own } = server.address() as AddressInfo;
  writeFileSync(file, text.replace(/(server: .*:)\d+/, `$1${own}`));
  return {
    kubeconfig: file,
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    mend: () => {
      isCut = false;
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      rmSync(directory, { recursive: true });
    },
  };
}
