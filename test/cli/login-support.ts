import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { LoginServer } from '../mcp/servers/login-server.ts';
import { RUN_CLI, startNode, type StartedProcess } from '../support/built-package.ts';
import { JAVASCRIPT_SANDBOX, ProgramDirectory } from './support.ts';

export interface Place {
  readonly server: LoginServer;
  readonly logins: string;
  /** Starts `exec`, or the command with these arguments. */
  readonly start: (args?: readonly string[]) => StartedProcess;
}

/** A server, and the command line with a configuration directory of its own. */
export async function prepare(fields: object = {}): Promise<Place> {
  const server = await LoginServer.start();
  const file = JSON.stringify({ mcpServers: { who: { url: server.url, ...fields } } });
  const directory = await ProgramDirectory.with({ 'mcp.json': file });
  onTestFinished(async () => {
    await directory[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  const start = (args: readonly string[] = ['exec', '-']): StartedProcess => {
    const env = { XDG_CONFIG_HOME: directory.path };
    const all = [...RUN_CLI, ...args, ...JAVASCRIPT_SANDBOX, '--mcp', 'mcp.json'];
    const started = startNode(all, { cwd: directory.path, env });
    started.child.stdin.end('console.log(await who.who())');
    return started;
  };
  return { server, logins: join(directory.path, 'sandboxed-ptc', 'mcp-logins'), start };
}

/** The address that the command line shows. */
export async function addressOf(started: StartedProcess): Promise<URL> {
  const shown = /^ {2}(http:\S+)$/m;
  await expect.poll(() => started.stderr).toMatch(shown);
  return new URL(shown.exec(started.stderr)?.[1] ?? '');
}
