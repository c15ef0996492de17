import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import type Docker from 'dockerode';
import { onTestFinished } from 'vitest';

interface Connection {
  readonly client: Socket;
  readonly engine: Socket;
  /** What the client sends passes through here. */
  readonly gate: Transform;
}

/** A way to the engine that can be broken. */
export class Relay {
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  #host = '';
  #frozen = false;
  #heldBack: { readonly request: RegExp; readonly came: () => void } | undefined;

  static async open(docker: Docker, kind: 'unix' | 'tcp' = 'unix'): Promise<Relay> {
    const directory = await mkdtemp(join(tmpdir(), 'relay-'));
    const relay = new Relay(socketPathOf(docker));
    onTestFinished(async () => {
      relay.cut();
      await rm(directory, { recursive: true });
    });
    await relay.#listen(kind === 'unix' ? join(directory, 'engine.sock') : undefined);
    return relay;
  }

  private constructor(enginePath: string) {
    this.#server = createServer((client) => {
      const connection = { client, engine: connect(enginePath), gate: this.#makeGate() };
      this.#connections.add(connection);
      client.on('error', () => undefined);
      connection.engine.on('error', () => undefined);
      if (!this.#frozen) passOn(connection);
    });
  }

  get host(): string {
    return this.#host;
  }

  /** Takes what comes and passes nothing on, as an engine that is stuck. */
  freeze(): void {
    this.#frozen = true;
    for (const { client, engine, gate } of this.#connections) {
      client.unpipe(gate).pause();
      engine.unpipe(client).pause();
    }
  }

  /** Passes on what came meanwhile, and all that comes. */
  thaw(): void {
    this.#frozen = false;
    this.#heldBack = undefined;
    for (const connection of this.#connections) passOn(connection);
  }

  /** Lets everything through but the requests like this; settles when the first has come. */
  async holdBack(request: RegExp): Promise<void> {
    return new Promise((came) => {
      this.#heldBack = { request, came };
    });
  }

  cut(): void {
    this.#server.close();
    this.drop();
  }

  /** Closes the connections, and accepts new ones. */
  drop(): void {
    for (const { client, engine } of this.#connections) {
      client.destroy();
      engine.destroy();
    }
  }

  #makeGate(): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, pass) => {
        if (this.#heldBack?.request.test(chunk.toString('latin1'))) this.#heldBack.came();
        else pass(null, chunk);
      },
    });
  }

  async #listen(path: string | undefined): Promise<void> {
    if (path === undefined) this.#server.listen(0, '127.0.0.1');
    else this.#server.listen(path);
    await once(this.#server, 'listening');
    const address = this.#server.address();
    this.#host =
      typeof address === 'object' && address !== null
        ? `tcp://127.0.0.1:${address.port}`
        : `unix://${path}`;
  }
}

function passOn({ client, engine, gate }: Connection): void {
  client.pipe(gate).pipe(engine);
  engine.pipe(client);
}

function socketPathOf({ modem }: { readonly modem: object }): string {
  if ('socketPath' in modem && typeof modem.socketPath === 'string') return modem.socketPath;
  throw new Error('These tests need an engine that listens on a local socket.');
}
