import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { filterFiles } from '../../../../src/providers/kubernetes/pod/runner-files.ts';
import type { OpenChannel } from '../../../../src/providers/kubernetes/streams/channel.ts';

const MODULES = fileURLToPath(new URL('../../../../runner', import.meta.url));
const PYTHON = ['-I', '-S', '-B', '-c'];

interface PodOptions {
  /** How long the runner lives without a host. @default 60 */
  readonly patienceSeconds?: number;
  /** How long it waits for the first host, and for its host when it has ended. @default 60 */
  readonly hostPatienceSeconds?: number;
  /** How long it waits in a pool until a session claims it. @default it is in no pool */
  readonly unclaimedSeconds?: number;
}

/** The two containers of a pod as processes, and relays that connect as those of hosts do. */
export class Pod implements AsyncDisposable {
  readonly sidecar: ChildProcess;
  readonly runner: ChildProcess;
  readonly #directory: string;
  readonly #relays = new Set<ChildProcess>();

  private constructor(directory: string, command: readonly string[], options: PodOptions) {
    const { patienceSeconds = 60, hostPatienceSeconds = 60, unclaimedSeconds = 0 } = options;
    const name = randomUUID();
    const user = String(process.getuid?.());
    this.#directory = directory;
    const seconds = [patienceSeconds, hostPatienceSeconds, unclaimedSeconds].map(String);
    const patience = [...seconds, this.#sessionFile];
    this.sidecar = start('main', [name, user, this.#socket, ...patience]);
    this.runner = start('start_runner', [name, user, directory, '4096', '16777216', ...command]);
  }

  /** @param command - What runs in place of the runner. */
  static async start(command: readonly string[], options: PodOptions = {}): Promise<Pod> {
    const directory = await mkdtemp(join(tmpdir(), 'ptc-pod-'));
    await Promise.all(
      filterFiles().map(async ([name, bytes]) => writeFile(join(directory, name), bytes)),
    );
    await writeFile(join(directory, 'session'), '');
    return new Pod(directory, command, options);
  }

  /** What the kubelet does when a session has claimed the pod. */
  async claim(sessionId: string): Promise<void> {
    await writeFile(this.#sessionFile, sessionId);
  }

  get #sessionFile(): string {
    return join(this.#directory, 'session');
  }

  get #socket(): string {
    return join(this.#directory, 'relays');
  }

  /** Cuts all connections. */
  cut(): void {
    for (const relay of this.#relays) {
      relay.stdin?.destroy();
      relay.stdout?.destroy();
      relay.kill('SIGKILL');
    }
  }

  /** Starts a relay. It fails while the sidecar does not listen yet. */
  readonly open: OpenChannel = async (listener) => {
    const relay = start('relay', [this.#socket]);
    this.#relays.add(relay);
    relay.once('close', () => this.#relays.delete(relay));
    relay.stdout?.on('data', (bytes: Buffer) => listener.data(bytes));
    relay.stdin?.on('error', () => undefined);
    relay.once('close', () => listener.closed(undefined));
    await once(relay, 'spawn');
    return {
      write: (bytes) => void relay.stdin?.write(bytes),
      close: () => void relay.stdin?.end(),
    };
  };

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [this.sidecar, this.runner, ...this.#relays];
    await Promise.all(all.map((child) => endOf(child, () => child.kill('SIGKILL'))));
    await rm(this.#directory, { recursive: true });
  }
}

/** Waits for the end of a process. Returns its status. */
export async function endOf(child: ChildProcess, end?: () => void): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exit = once(child, 'exit');
    end?.();
    await exit;
  }
  return child.exitCode;
}

/** What a runner writes to descriptor 3, of which its host knows nothing. */
export async function told(runner: ChildProcess): Promise<string> {
  return String((await once(runner.stdio[3] as Readable, 'data'))[0]);
}

function start(module: string, args: readonly string[]): ChildProcess {
  const script = `import sys; sys.path.insert(0, ${JSON.stringify(MODULES)}); from sidecar.${module} import main; main(sys.argv[1:])`;
  const errors = module === 'relay' ? 'ignore' : 'inherit';
  return spawn('python3', [...PYTHON, script, ...args], {
    stdio: ['pipe', 'pipe', errors, 'pipe'],
  });
}
