import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';

/** The client that is registered from the start. */
export const CLIENT = { clientId: 'machine', clientSecret: 'secret-of-the-machine' };

/** The client of people that is registered from the start. */
export const PUBLIC_CLIENT = 'registered-by-hand';

const RESOURCE_DOCUMENT = '/.well-known/oauth-protected-resource';

interface Grant {
  readonly client: string;
  readonly scopes: readonly string[];
  readonly challenge: string;
  readonly redirect: string;
}

type Form = Readonly<Record<string, string>>;

/**
 * An MCP server at `/mcp`, with the tool `who`, and its authorization server, which forgets what it is
 * told to. A person who comes to `/authorize` agrees at once. Errors quote what was sent.
 */
export class LoginServer implements AsyncDisposable {
  /** What its access tokens end with. */
  tokenEnd = '';
  /** The grants of all requests for tokens. */
  readonly grants: string[] = [];
  /** The values of the header `x-key` that the MCP server was sent. */
  readonly keys: Set<unknown> = new Set();
  /** All that was sent to the authorization server. */
  received = '';
  /** The authorization servers that the MCP server names; its own by default. */
  authorizationServers: readonly string[];
  /** The status of the document about the MCP server. */
  documentStatus = 200;
  /** The scope that the MCP server asks for when it refuses a request; '' for none. */
  scope = 'read';
  /** The scope that a token needs for a call of a tool. */
  callScope = 'read';
  /** The scopes that tokens are said to have, besides what was asked for. */
  grantedScope: string | undefined;
  /** The scopes that a person can grant. */
  grantable: readonly string[] = ['read', 'write', 'offline_access'];
  /** Whether programs can register themselves. */
  registers = true;
  /** Statuses with which it answers at paths of the authorization server, with a page for people. */
  readonly failures: Map<string, number> = new Map();
  /** Where tokens are requested, which can be the MCP server: it answers that a token lacks a scope. */
  tokenPath: '/token' | '/mcp' = '/token';
  /** Whether tokens come with one to renew them; `offline` only with the scope `offline_access`. */
  givesRefreshTokens: boolean | 'offline' = true;
  /** Whether its metadata says that it knows PKCE. */
  namesChallengeMethods = true;
  readonly #server: Server;
  /** The scopes of each token. */
  readonly #access: Map<string, readonly string[]> = new Map();
  readonly #refresh: Map<string, readonly string[]> = new Map();
  readonly #codes: Map<string, Grant> = new Map();
  readonly #clients: Map<string, readonly string[]> = new Map();

  private constructor(server: Server) {
    this.#server = server;
    this.authorizationServers = [this.issuer];
  }

  static async start(): Promise<LoginServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const login = new LoginServer(server);
    const handler = toNodeHandler(createMcpHandler(whoServer));
    server.on('request', (request, response) => {
      login.#answer(request, response, handler).catch((error: unknown) => {
        response.writeHead(500).end(String(error));
      });
    });
    return login;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `${this.issuer}/mcp`;
  }

  /** Tokens stop working, as when they expire. */
  expire(): void {
    this.#access.clear();
  }

  /** Nobody is logged in any more. */
  revoke(): void {
    this.#access.clear();
    this.#refresh.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await Promise.resolve();
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    mcp: ReturnType<typeof toNodeHandler>,
  ): Promise<void> {
    const url = new URL(request.url ?? '', this.issuer);
    if (url.pathname === '/mcp') {
      this.keys.add(request.headers['x-key']);
      const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
      const metadata = `${this.issuer}${RESOURCE_DOCUMENT}/mcp`;
      const isCall = request.headers['mcp-method'] === 'tools/call';
      const scopes = this.#access.get(token);
      const isLogin = request.headers['content-type'] === 'application/x-www-form-urlencoded';
      if (isLogin || (scopes !== undefined && isCall && !scopes.includes(this.callScope))) {
        response.setHeader(
          'www-authenticate',
          `Bearer error="insufficient_scope", resource_metadata="${metadata}", scope="${this.callScope}"`,
        );
        return void response.writeHead(403).end();
      }
      if (scopes !== undefined) return void mcp(request as never, response);
      response.setHeader(
        'www-authenticate',
        `Bearer resource_metadata="${metadata}"${this.scope && `, scope="${this.scope}"`}`,
      );
      return void response.writeHead(401).end(`not ${token}`);
    }
    const body = request.method === 'POST' ? await text(request) : '';
    this.received += `${JSON.stringify(request.headers)}\n${body}\n`;
    if (url.pathname.startsWith(RESOURCE_DOCUMENT) && this.documentStatus !== 200) {
      return void response.writeHead(this.documentStatus).end();
    }
    const failure = this.failures.get(url.pathname);
    if (failure !== undefined) return void response.writeHead(failure).end('<h1>Sorry</h1>');
    const answer = this.#document(url.pathname) ?? this.#act(url, request, body);
    if (typeof answer === 'string') return void response.writeHead(302, { location: answer }).end();
    response.writeHead('error' in answer ? 400 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  }

  #document(path: string): object | undefined {
    if (path === `${RESOURCE_DOCUMENT}/mcp`) {
      return {
        resource: this.url,
        authorization_servers: this.authorizationServers,
        ...(this.scope !== '' && { scopes_supported: ['read'] }),
      };
    }
    if (path !== '/.well-known/oauth-authorization-server') return undefined;
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}${this.tokenPath}`,
      ...(this.registers && { registration_endpoint: `${this.issuer}/register` }),
      response_types_supported: ['code'],
      ...(this.namesChallengeMethods && { code_challenge_methods_supported: ['S256'] }),
      ...(this.givesRefreshTokens === 'offline' && { scopes_supported: ['offline_access'] }),
      authorization_response_iss_parameter_supported: true,
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'none'],
    };
  }

  /** Returns an address to go to, or a document. */
  #act(url: URL, request: IncomingMessage, body: string): string | object {
    if (url.pathname === '/authorize') return this.#authorize(url.searchParams);
    if (url.pathname === '/register') {
      const client = randomUUID();
      const { redirect_uris: redirects } = JSON.parse(body) as { redirect_uris: string[] };
      this.#clients.set(client, redirects);
      return { client_id: client, redirect_uris: redirects, token_endpoint_auth_method: 'none' };
    }
    if (url.pathname !== '/token') return { error: 'not_found' };
    const form = Object.fromEntries(new URLSearchParams(body));
    this.grants.push(form['grant_type'] ?? '');
    const scopes = this.#scopesOf(form);
    const error = this.#problemOf(form, request.headers.authorization);
    if (error !== undefined) {
      const quoted = `${request.headers.authorization} ${body}`;
      return { error, error_description: `You sent ${quoted}` };
    }
    const tokens = { access: `${randomUUID()}${this.tokenEnd}`, refresh: randomUUID() };
    this.#access.set(tokens.access, scopes);
    const isRenewed =
      form['grant_type'] !== 'client_credentials' &&
      this.givesRefreshTokens !== false &&
      (this.givesRefreshTokens === true || scopes.includes('offline_access'));
    if (isRenewed) this.#refresh.set(tokens.refresh, scopes);
    return {
      access_token: tokens.access,
      token_type: 'Bearer',
      ...(this.grantedScope !== undefined && { scope: this.grantedScope }),
      ...(isRenewed && { refresh_token: tokens.refresh }),
    };
  }

  #authorize(query: URLSearchParams): string {
    const [client = '', redirect = ''] = ['client_id', 'redirect_uri'].map(
      (name) => query.get(name) ?? '',
    );
    const isKnown = client === PUBLIC_CLIENT || this.#clients.get(client)?.includes(redirect);
    if (isKnown !== true) throw new Error('unknown client');
    const code = randomUUID();
    const asked = (query.get('scope') ?? '').split(' ');
    const scopes = this.grantable.filter((scope) => asked.includes(scope));
    const challenge = query.get('code_challenge') ?? '';
    this.#codes.set(code, { client, scopes, redirect, challenge });
    const back = new URL(redirect);
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state') ?? '');
    back.searchParams.set('iss', this.issuer);
    return back.href;
  }

  #scopesOf(form: Form): readonly string[] {
    const { refresh_token: refresh = '', code = '' } = form;
    return this.#refresh.get(refresh) ?? this.#codes.get(code)?.scopes ?? this.grantable;
  }

  #problemOf(form: Form, authorization: string | undefined): string | undefined {
    switch (form['grant_type']) {
      case 'client_credentials': {
        const { clientId, clientSecret } = CLIENT;
        const expected = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
        return authorization === `Basic ${expected}` ? undefined : 'invalid_client';
      }
      case 'refresh_token':
        return this.#refresh.delete(form['refresh_token'] ?? '') ? undefined : 'invalid_grant';
      default: {
        const grant = this.#codes.get(form['code'] ?? '');
        this.#codes.delete(form['code'] ?? '');
        const challenge = createHash('sha256')
          .update(form['code_verifier'] ?? '')
          .digest('base64url');
        const isRight =
          grant?.challenge === challenge &&
          grant.client === form['client_id'] &&
          grant.redirect === form['redirect_uri'];
        return isRight ? undefined : 'invalid_grant';
      }
    }
  }
}

function whoServer(): McpServer {
  const server = new McpServer({ name: 'who', version: '1' });
  server.registerTool('who', { description: 'Says who you are.' }, () => ({
    content: [{ type: 'text', text: 'somebody' }],
  }));
  return server;
}
