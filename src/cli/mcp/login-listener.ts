import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDeferred, type Deferred } from '../../shared/async/deferred.ts';

const PATH = '/callback';

/** Waits at an address of this machine for a person who comes back from an authorization server. */
export class LoginListener implements AsyncDisposable {
  /** Only who has been sent with it knows it, so nobody else can end the waiting. */
  readonly state: string = randomBytes(32).toString('base64url');
  readonly redirectUrl: string;
  readonly #server: Server;
  readonly #query: Deferred<URLSearchParams> = createDeferred();

  private constructor(server: Server) {
    this.#server = server;
    this.redirectUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`;
    server.on('request', (request, response) => this.#answer(request, response));
  }

  /** Listens at a port that the system chooses. */
  static async open(): Promise<LoginListener> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new LoginListener(server);
  }

  /** The query with which the person comes back. */
  async query(): Promise<URLSearchParams> {
    return this.#query.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { url = '' } = request;
    // Such as `//`, which is not an address.
    const back = URL.canParse(url, this.redirectUrl) ? new URL(url, this.redirectUrl) : undefined;
    response.setHeader('content-type', 'text/plain; charset=utf-8');
    response.setHeader('connection', 'close');
    if (back?.pathname !== PATH || back.searchParams.get('state') !== this.state) {
      response.writeHead(404).end('This is not the address of a login.\n');
      return;
    }
    const finish = (): void => this.#query.resolve(back.searchParams);
    response.once('close', finish);
    response.end('You can close this window and go back to the terminal.\n');
  }
}
