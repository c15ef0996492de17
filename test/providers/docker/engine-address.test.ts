import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type EngineAddressSources,
  engineAddresses,
} from '../../../src/providers/docker/engine/engine-address.ts';

function urlsOf(
  sources: Partial<EngineAddressSources>,
  files: Readonly<Record<string, unknown>> = {},
): string[] {
  return addressesOf(sources, files).map(({ url }) => url);
}

function addressesOf(
  sources: Partial<EngineAddressSources>,
  files: Readonly<Record<string, unknown>> = {},
): ReturnType<typeof engineAddresses> {
  return engineAddresses({
    host: undefined,
    environment: {},
    homeDirectory: '/home/ada',
    readTextFile: (path) => (path in files ? JSON.stringify(files[path]) : undefined),
    ...sources,
  });
}

function contextFiles(name: string, host: string): Record<string, unknown> {
  const hash = createHash('sha256').update(name).digest('hex');
  const metadata = { Name: name, Endpoints: { docker: { Host: host } } };
  return { [`/home/ada/.docker/contexts/meta/${hash}/meta.json`]: metadata };
}

describe('the engine is looked for', () => {
  test('only at the address that the user chose', () => {
    const environment = { DOCKER_HOST: 'tcp://other:2375' };
    expect(urlsOf({ host: 'unix:///mine.sock', environment })).toEqual(['unix:///mine.sock']);
  });

  test('otherwise only at DOCKER_HOST, even if a context is chosen', () => {
    const environment = { DOCKER_HOST: 'ssh://ada@build', DOCKER_CONTEXT: 'colima' };
    const files = contextFiles('colima', 'unix:///colima.sock');
    expect(urlsOf({ environment }, files)).toEqual(['ssh://ada@build']);
  });

  test('otherwise only at the address of DOCKER_CONTEXT', () => {
    const files = contextFiles('colima', 'unix:///colima.sock');
    expect(urlsOf({ environment: { DOCKER_CONTEXT: 'colima' } }, files)).toEqual([
      'unix:///colima.sock',
    ]);
  });

  test('nowhere if DOCKER_CONTEXT names a context that is missing or damaged', () => {
    const environment = { DOCKER_CONTEXT: 'gone' };
    expect(urlsOf({ environment }, contextFiles('colima', 'unix:///colima.sock'))).toEqual([]);
    expect(urlsOf({ environment }, contextFiles('gone', ''))).toEqual([]);
  });

  test('else first in the current Docker context, then in the usual places', () => {
    const files = {
      '/home/ada/.docker/config.json': { currentContext: 'colima' },
      ...contextFiles('colima', 'unix:///colima.sock'),
    };
    expect(urlsOf({}, files).slice(0, 2)).toEqual([
      'unix:///colima.sock',
      'unix:///var/run/docker.sock',
    ]);
  });

  test('in the usual places of Docker and Podman, those of the user included', () => {
    expect(urlsOf({ environment: { XDG_RUNTIME_DIR: '/run/user/1000' } })).toEqual([
      'unix:///var/run/docker.sock',
      'unix:///run/user/1000/docker.sock',
      'unix:///home/ada/.docker/run/docker.sock',
      'unix:///run/user/1000/podman/podman.sock',
      'unix:///run/podman/podman.sock',
    ]);
  });

  test('at the usual addresses if the current context is the default one or damaged', () => {
    const usual = urlsOf({});
    expect(urlsOf({}, { '/home/ada/.docker/config.json': { currentContext: 'default' } })).toEqual(
      usual,
    );
    expect(urlsOf({}, { '/home/ada/.docker/config.json': { currentContext: 'gone' } })).toEqual(
      usual,
    );
    expect(urlsOf({ readTextFile: () => '{' })).toEqual(usual);
  });

  test('in the configuration directory that DOCKER_CONFIG names', () => {
    const files = Object.fromEntries(
      Object.entries({
        '/home/ada/.docker/config.json': { currentContext: 'colima' },
        ...contextFiles('colima', 'unix:///colima.sock'),
      }).map(([path, content]) => [path.replace('/home/ada/.docker', '/etc/ada'), content]),
    );
    expect(urlsOf({ environment: { DOCKER_CONFIG: '/etc/ada' } }, files)[0]).toBe(
      'unix:///colima.sock',
    );
  });
});

describe('without a home directory', () => {
  const homeDirectory = undefined;

  test('only the directories of the system and the environment are read', () => {
    const urls = urlsOf({ homeDirectory });
    expect(urls).toEqual(['unix:///var/run/docker.sock', 'unix:///run/podman/podman.sock']);
    expect(urlsOf({ homeDirectory, environment: { DOCKER_CONTEXT: 'remote' } })).toEqual([]);
  });

  test('a connection that must be encrypted is not made without encryption', () => {
    const host = 'tcp://other:2376';
    const environment = { DOCKER_HOST: host, DOCKER_TLS_VERIFY: '1' };
    expect(addressesOf({ homeDirectory, environment })).toEqual([
      { url: host, source: 'DOCKER_HOST', certificateDirectory: expect.any(String) },
    ]);
  });
});

describe('a connection over TCP', () => {
  test('is encrypted if DOCKER_TLS_VERIFY is set, with the certificates of DOCKER_CERT_PATH', () => {
    const environment = {
      DOCKER_HOST: 'tcp://engine:2376',
      DOCKER_TLS_VERIFY: '1',
      DOCKER_CERT_PATH: '/certificates',
    };
    expect(addressesOf({ environment })).toEqual([
      {
        url: 'tcp://engine:2376',
        source: 'DOCKER_HOST',
        certificateDirectory: '/certificates',
      },
    ]);
  });

  test('is encrypted if its context has certificates', () => {
    const hash = createHash('sha256').update('remote').digest('hex');
    const files = {
      ...contextFiles('remote', 'tcp://engine:2376'),
      [`/home/ada/.docker/contexts/tls/${hash}/docker/ca.pem`]: 'certificate',
    };
    const [address] = addressesOf({ environment: { DOCKER_CONTEXT: 'remote' } }, files);
    expect(address?.certificateDirectory).toBe(`/home/ada/.docker/contexts/tls/${hash}/docker`);
  });
});
