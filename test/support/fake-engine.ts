import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

export interface FakeEngine extends AsyncDisposable {
  /** Its address, as in `DOCKER_HOST`. */
  readonly host: string;
  /** Resolves when the first build has been asked for. */
  readonly buildAsked: Promise<unknown>;
  /** How many builds were asked for. */
  readonly builds: number;
}

/** Does what an engine does with a build, once it has read what the image is to be built from. */
type Build = (response: ServerResponse) => void;

/** Answers a request that has just begun, of which nothing has been read. Returns whether it does. */
type Special = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Takes the connection to the streams of a container. */
type Attach = (connection: Duplex) => void;

/** As an engine tells of a build that has no network to install packages from. */
export function failToBuild(response: ServerResponse): void {
  const events = [
    { stream: 'Step 1/9 : ARG BASE_IMAGE=debian:trixie-slim\n' },
    { stream: 'E: Unable to locate package nodejs\n' },
    { error: 'The command returned a non-zero code: 100' },
  ];
  response.end(events.map((event) => `${JSON.stringify(event)}\r\n`).join(''));
}

/** As an engine that does not know how a build goes on. */
export function buildForever(response: ServerResponse): void {
  response.flushHeaders();
}

/**
 * An engine over HTTP that answers and starts nothing.
 * @param options.build - What it does with builds. @default it has every image already
 * @param options.special - What it answers in another way than here. @default nothing
 * @param options.attach - What it does with streams of containers. @default it has none
 */
export async function startFakeEngine({
  build,
  special,
  attach,
}: { build?: Build; special?: Special; attach?: Attach } = {}): Promise<FakeEngine> {
  let builds = 0;
  const server = createServer((request, response) => {
    if (special?.(request, response)) return;
    // All of it is read first: a connection that is closed with something unread is reset, and the answer is lost.
    request.resume().once('end', () => answer(request.url ?? '', response));
  });
  const answer = (url: string, response: ServerResponse): void => {
    response.setHeader('content-type', 'application/json');
    const path = new URL(url, 'http://engine').pathname;
    if (path === '/version') response.end('{"Version":"99.0.0","Os":"linux"}');
    else if (path === '/info') response.end('{"SecurityOptions":[]}');
    else if (path === '/networks') response.end('[{"Name":"bridge"}]');
    else if (path === '/containers/json') response.end('[]');
    else if (path.startsWith('/images/') && build === undefined) {
      response.end('{"Config":{"Labels":{}}}');
    } else if (path === '/build') {
      builds += 1;
      build?.(response);
      server.emit('build-asked');
    } else response.writeHead(404).end('{"message":"no such thing"}');
  };
  const attached: Duplex[] = [];
  if (attach !== undefined) {
    server.on('upgrade', (_request, connection: Duplex) => {
      attached.push(connection.on('error', () => undefined));
      connection.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n');
      attach(connection);
    });
  }
  const buildAsked = once(server, 'build-asked');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    host: `tcp://127.0.0.1:${port}`,
    buildAsked,
    get builds() {
      return builds;
    },
    [Symbol.asyncDispose]: async () => {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
        for (const connection of attached) connection.destroy();
      });
    },
  };
}
