import { expect, onTestFinished } from 'vitest';
import type { KeptLogin, LoginStore } from '../../src/mcp/client/auth/kept-login.ts';
import type { UserLogin } from '../../src/mcp/client/auth/user-login.ts';
import { mcpTools } from '../../src/mcp/client/mcp-tools.ts';
import { LoginServer } from './servers/login-server.ts';
import { callerOf } from './support.ts';

export async function startLoginServer(): Promise<LoginServer> {
  const server = await LoginServer.start();
  onTestFinished(async () => server[Symbol.asyncDispose]());
  return server;
}

/** A store that several logins share, as processes share a file. */
export class MemoryStore implements LoginStore {
  kept: KeptLogin | undefined;

  async read(): Promise<KeptLogin | undefined> {
    return Promise.resolve(this.kept);
  }

  async write(login: KeptLogin): Promise<void> {
    this.kept = login;
    return Promise.resolve();
  }

  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    return work();
  }
}

/** Logs in to a server that needs it, as a person does in a browser. @returns the address that the person visits. */
export async function logIn(url: string, login: UserLogin): Promise<URL> {
  const options = { name: 'who', url, auth: { provider: login } };
  await expect(mcpTools(options)).rejects.toMatchObject({ code: 'MCP_LOGIN_REQUIRED' });
  return visit(login);
}

/** Logs in as a person does in a browser. @returns the address that the person visits. */
export async function visit(login: UserLogin): Promise<URL> {
  let visited: URL | undefined;
  await login.logIn({
    redirectUrl: 'http://127.0.0.1:1/callback',
    state: 'state',
    visit: async (address) => {
      visited = address;
      const { headers } = await fetch(address, { redirect: 'manual' });
      return new URL(headers.get('location') ?? '').searchParams;
    },
    signal: new AbortController().signal,
  });
  expect(visited).toBeDefined();
  return visited as URL;
}

/** Connects to the server, and returns a call of its tool. */
export async function whoOf(url: string, login: UserLogin): Promise<() => Promise<unknown>> {
  const { call } = await callerOf({ name: 'who', url, auth: { provider: login } });
  return async () => call('who');
}
