import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** An address at which a container engine may listen. */
export interface EngineAddress {
  /** As in `DOCKER_HOST`: `unix://`, `npipe://`, `tcp://`, `http://`, `https://` or `ssh://`. */
  readonly url: string;
  /** Where the address comes from, for messages. */
  readonly source: string;
  /** The directory with `ca.pem`, `cert.pem` and `key.pem`, if the connection is encrypted. */
  readonly certificateDirectory?: string;
}

export interface EngineAddressSources {
  /** The address that the user chose. */
  readonly host: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Undefined if there is none: then only what the environment names is read. */
  readonly homeDirectory: string | undefined;
  /** Returns undefined if the file does not exist. */
  readonly readTextFile: (path: string) => string | undefined;
}

/**
 * Returns the addresses to try, in order; the first one that answers is used. If the user or the
 * environment names an address, it is the only one, so that no other engine than the intended one
 * is used. None if `DOCKER_CONTEXT` names a context that is missing or damaged.
 */
export function engineAddresses(sources: EngineAddressSources): EngineAddress[] {
  const { host, environment } = sources;
  if (host) return [namedAddress(host, 'the `host` option', sources)];
  const dockerHost = environment['DOCKER_HOST'];
  if (dockerHost) return [namedAddress(dockerHost, 'DOCKER_HOST', sources)];
  const dockerContext = environment['DOCKER_CONTEXT'];
  if (dockerContext && dockerContext !== 'default') {
    const address = contextAddress(dockerContext, 'DOCKER_CONTEXT', sources);
    return address ? [address] : [];
  }
  const current = dockerContext ? undefined : currentContext(sources);
  const address = current && contextAddress(current, `the Docker context ${current}`, sources);
  return [...(address ? [address] : []), ...usualAddresses(sources)];
}

/** Connecting fails there, and says what is missing: without certificates, nothing would be encrypted. */
const NO_CERTIFICATES = '/.docker';

function namedAddress(
  url: string,
  source: string,
  { environment, homeDirectory }: EngineAddressSources,
): EngineAddress {
  const encrypted = environment['DOCKER_TLS_VERIFY'] || url.startsWith('https:');
  if (!encrypted || url.startsWith('unix:') || url.startsWith('ssh:')) return { url, source };
  const certificateDirectory =
    environment['DOCKER_CERT_PATH'] ||
    dockerDirectory({ environment, homeDirectory }) ||
    NO_CERTIFICATES;
  return { url, source, certificateDirectory };
}

function usualAddresses({ environment, homeDirectory }: EngineAddressSources): EngineAddress[] {
  const runtimeDirectory = environment['XDG_RUNTIME_DIR'];
  const inRuntimeDirectory = (path: string): string[] =>
    runtimeDirectory ? [join(runtimeDirectory, path)] : [];
  const docker = [
    '/var/run/docker.sock',
    ...inRuntimeDirectory('docker.sock'),
    ...(homeDirectory === undefined ? [] : [join(homeDirectory, '.docker/run/docker.sock')]),
  ];
  const podman = [...inRuntimeDirectory('podman/podman.sock'), '/run/podman/podman.sock'];
  return [
    ...docker.map((path) => ({ url: `unix://${path}`, source: "Docker's usual socket" })),
    ...podman.map((path) => ({ url: `unix://${path}`, source: "Podman's usual socket" })),
  ];
}

function dockerDirectory({
  environment,
  homeDirectory,
}: Pick<EngineAddressSources, 'environment' | 'homeDirectory'>): string | undefined {
  const inHome = homeDirectory === undefined ? undefined : join(homeDirectory, '.docker');
  return environment['DOCKER_CONFIG'] || inHome;
}

function currentContext(sources: EngineAddressSources): string | undefined {
  const directory = dockerDirectory(sources);
  if (directory === undefined) return undefined;
  const config = readJson(join(directory, 'config.json'), sources);
  const name = property(config, 'currentContext');
  return typeof name === 'string' && name !== '' && name !== 'default' ? name : undefined;
}

/**
 * The Docker client keeps a context in a directory whose name is the hash of the context's name.
 */
function contextAddress(
  name: string,
  source: string,
  sources: EngineAddressSources,
): EngineAddress | undefined {
  const directory = dockerDirectory(sources);
  if (directory === undefined) return undefined;
  const hash = createHash('sha256').update(name).digest('hex');
  const contexts = join(directory, 'contexts');
  const metadata = readJson(join(contexts, 'meta', hash, 'meta.json'), sources);
  const url = property(property(property(metadata, 'Endpoints'), 'docker'), 'Host');
  if (typeof url !== 'string' || url === '') return undefined;
  const certificateDirectory = join(contexts, 'tls', hash, 'docker');
  const encrypted = sources.readTextFile(join(certificateDirectory, 'ca.pem')) !== undefined;
  return encrypted ? { url, source, certificateDirectory } : { url, source };
}

function readJson(path: string, { readTextFile }: EngineAddressSources): unknown {
  const text = readTextFile(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // A damaged configuration names no engine. The usual addresses are still tried.
    return undefined;
  }
}

function property(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}
