import { readFileSync } from 'node:fs';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createRequire } from 'node:module';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type Docker from 'dockerode';
import { messageOf, PtcError } from '../../../shared/errors.ts';
import { homeDirectory } from '../../../shared/home-directory.ts';
import { isInstalled, loadDependency, throwIfLoadFailure } from '../../../shared/installation.ts';
import { CALL_DEADLINE_MS, withDeadline } from './deadline.ts';
import { type EngineAddress, engineAddresses } from './engine-address.ts';

// dockerode is loaded only when an engine is needed.
const load = createRequire(import.meta.url);

/**
 * Idle connections are closed after this time. Otherwise, as many as were ever in use at once would
 * stay open. A new connection costs little beside the start of a container.
 */
const IDLE_CONNECTION_MS = 2000;

/** `timeout` closes idle connections only. It does not end a call or an attached container. */
const AGENT_OPTIONS = { keepAlive: true, timeout: IDLE_CONNECTION_MS } as const;

const REMEDY =
  'Start Docker or Podman, or set DOCKER_HOST to the address of an engine, such as unix:///var/run/docker.sock.';

/** Podman has Docker's API, with a few differences. */
export type EngineKind = 'docker' | 'podman';

/** An engine that answered. */
export interface Engine {
  readonly docker: Docker;
  readonly kind: EngineKind;
  /** Such as `Docker 28.2.2` or `Podman 5.4.0 (rootless)`. */
  readonly description: string;
  /** Closes its connections. Connections of later calls are not reused. */
  close(): void;
}

/** The result of the search: the engine, or why it cannot be used and what to do. */
export type EngineSearch = { readonly engine: Engine } | NoEngine;

interface NoEngine {
  /** A clause without a full stop. */
  readonly reason: string;
  readonly remedy: string;
  /** The answer of each address that was tried. */
  readonly refusals: readonly string[];
}

const NO_CLIENT: NoEngine = {
  reason: 'the npm package dockerode is not installed',
  remedy: 'Run: npm install dockerode',
  refusals: [],
};

/**
 * Finds the engine.
 * @param host - The address that the user chose, as in `DOCKER_HOST`.
 * @throws PtcError `SANDBOX_UNAVAILABLE`, with the answer of each address that was tried; and as
 * `searchEngine`.
 */
export async function findEngine(host: string | undefined): Promise<Engine> {
  const search = await searchEngine(host);
  if ('engine' in search) return search.engine;
  const { reason, remedy, refusals } = search;
  const tried = refusals.length === 0 ? '' : ` Tried:\n  ${refusals.join('\n  ')}`;
  throw new PtcError('SANDBOX_UNAVAILABLE', `Docker cannot be used: ${reason}. ${remedy}${tried}`, {
    details: { refusals },
  });
}

/**
 * Tries the addresses of engines one after the other.
 * @throws PtcError `INSTALLATION_INCOMPLETE` if dockerode cannot be loaded, which says nothing
 * about engines.
 */
export async function searchEngine(host: string | undefined): Promise<EngineSearch> {
  const addresses = engineAddresses({
    host,
    environment: process.env,
    homeDirectory: homeDirectory(),
    readTextFile,
  });
  if (!isInstalled('dockerode')) return NO_CLIENT;
  const Client = loadDependency(() => load('dockerode') as typeof Docker);
  if (addresses.length === 0) return unknownContext(process.env['DOCKER_CONTEXT']);
  const refusals: string[] = [];
  let remedy = REMEDY;
  for (const address of addresses) {
    try {
      return { engine: await connect(Client, address) };
    } catch (error) {
      throwIfLoadFailure(error);
      refusals.push(`${address.url} (${address.source}): ${messageOf(error)}`);
      if (isDenied(error) && remedy === REMEDY) remedy = remedyForDenied(address.url);
    }
  }
  return { reason: 'no container engine answers', remedy, refusals };
}

function unknownContext(name: string | undefined): NoEngine {
  return {
    reason: `DOCKER_CONTEXT names the Docker context ${JSON.stringify(name)}, which has no address here`,
    remedy:
      'Set it to one that `docker context ls` shows to this user, or unset it. DOCKER_CONFIG and HOME say where contexts are looked for.',
    refusals: [],
  };
}

function isDenied(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EACCES';
}

/** An engine may run at that address, so starting another one would not help. */
function remedyForDenied(url: string): string {
  const path = url.replace(/^unix:\/\//, '');
  return (
    `This user has no permission to open ${path}. Add the user to the group that owns it, which \`ls -l ${path}\` shows ` +
    '(usually `sudo usermod -aG docker USER`), and log in again. Or run a rootless engine, and set DOCKER_HOST.'
  );
}

async function connect(Client: typeof Docker, address: EngineAddress): Promise<Engine> {
  const options = connectionOptions(address);
  const docker = new Client(options);
  const close = (): void => {
    // Connections of calls that end later are not kept either, because nothing would close them.
    options.agent.maxFreeSockets = 0;
    options.agent.destroy();
  };
  try {
    const facts = await withDeadline('answer', CALL_DEADLINE_MS, () => describe(docker));
    return { docker, ...facts, close };
  } catch (error) {
    close();
    throw error;
  }
}

async function describe(docker: Docker): Promise<Pick<Engine, 'kind' | 'description'>> {
  const [version, info] = await Promise.all([docker.version(), docker.info()]);
  if (version.Os !== 'linux') throw new Error(`it runs ${version.Os} containers, not Linux ones`);
  const podman = version.Components?.find(({ Name }) => Name.startsWith('Podman'));
  const name = podman ? `Podman ${podman.Version}` : `Docker ${version.Version}`;
  const securityOptions: readonly string[] = info.SecurityOptions ?? [];
  const rootless = securityOptions.some((option) => option.includes('rootless'));
  return {
    kind: podman ? 'podman' : 'docker',
    description: rootless ? `${name} (rootless)` : name,
  };
}

interface ConnectionOptions extends Docker.DockerOptions {
  readonly agent: HttpAgent;
}

/**
 * Sets every option, because dockerode takes missing ones from the environment, which may belong to
 * another engine.
 */
function connectionOptions(address: EngineAddress): ConnectionOptions {
  const none = {
    socketPath: undefined,
    host: undefined,
    port: undefined,
    username: undefined,
    ca: undefined,
    cert: undefined,
    key: undefined,
    // Each call has a deadline of its own, except those that wait for a container.
    timeout: undefined,
    protocol: 'http' as const,
    agent: opaque(new HttpAgent(AGENT_OPTIONS)),
  };
  const path = /^(?:unix|npipe):\/\/(.*)$/.exec(address.url)?.[1];
  if (path !== undefined) return { ...none, socketPath: path };
  // `host:port` is an old form of `tcp://host:port`.
  const url = new URL(address.url.includes('//') ? address.url : `tcp://${address.url}`);
  const isEncrypted = address.certificateDirectory !== undefined;
  // As the `docker` command takes them.
  const usualPort = url.protocol === 'tcp:' ? (isEncrypted ? '2376' : '2375') : undefined;
  const remote = { ...none, host: url.hostname, port: url.port || usualPort };
  if (url.protocol === 'ssh:') {
    const agent = process.env['SSH_AUTH_SOCK'];
    return {
      ...remote,
      protocol: 'ssh',
      // As the `ssh` command.
      username: url.username || userInfo().username,
      sshOptions: agent === undefined ? {} : { agent },
    };
  }
  if (address.certificateDirectory === undefined) return remote;
  const read = (name: string): Buffer =>
    readFileSync(join(address.certificateDirectory ?? '', name));
  return {
    ...remote,
    protocol: 'https',
    agent: opaque(new HttpsAgent(AGENT_OPTIONS)),
    ca: read('ca.pem'),
    cert: read('cert.pem'),
    key: read('key.pem'),
  };
}

/**
 * dockerode formats each request for a debug log, even if the log is off. Without this, it would
 * format the agent with all its open connections too.
 */
function opaque<Agent extends HttpAgent>(agent: Agent): Agent {
  return Object.assign(agent, { [inspect.custom]: (): string => 'Agent' });
}

function readTextFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
