import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import type { SandboxContainerOptions } from '../../../src/providers/docker/container/container-config.ts';
import type { SandboxProvider } from '../../../src/sandbox/sandbox.ts';
import { LONGEST_ANSWER } from '../../../src/sandbox/software/ask-software.ts';
import { createDeferred, type Deferred } from '../../../src/shared/async/deferred.ts';
import { inBackground } from '../../../src/shared/async/background.ts';
import { startFakeEngine } from '../../support/fake-engine.ts';

const ANSWER = '{"python":{"version":"3.13.5","libraries":[]},"searched":[]}\n';
const KNOWN = { python: { name: 'Python', version: '3.13.5', libraries: [] } };

/** An engine that creates a container, which ends as soon as it is started. */
class Containers {
  /** What a container prints before it ends. */
  printed = '';
  /** Whether it goes on after that. */
  goesOn = false;
  /** With which status it ends. Undefined if the engine does not say it. */
  status: number | undefined = 0;
  /** How many containers were created. */
  created = 0;
  /** How many were ended by the host. */
  killed = 0;
  /** Settles when a container has been started. */
  readonly started: Deferred<void> = createDeferred();
  /** Settles when the connection to its streams is closed. */
  readonly detached: Deferred<void> = createDeferred();
  #config: SandboxContainerOptions | undefined;
  #attached: Duplex | undefined;
  #exit: ServerResponse | undefined;

  async open(id: string): Promise<SandboxProvider> {
    const engine = await startFakeEngine({
      special: (request, response) => this.#answers(id, request, response),
      attach: (connection) => {
        this.#attached = connection.once('close', () => this.detached.resolve());
      },
    });
    const provider = dockerProvider({ host: engine.host });
    onTestFinished(async () => {
      // If a test fails, the provider may wait for it, and no deadline may pass.
      this.#exit?.end();
      await provider.close();
      await engine[Symbol.asyncDispose]();
    });
    return provider;
  }

  #answers(id: string, request: IncomingMessage, response: ServerResponse): boolean {
    const { pathname } = new URL(request.url ?? '', 'http://engine');
    response.setHeader('content-type', 'application/json');
    if (pathname.startsWith('/images/')) {
      response.end(JSON.stringify({ Id: id, Config: { Labels: {} } }));
    } else if (pathname === '/containers/create') inBackground(this.#create(request, response));
    else if (pathname.endsWith('/wait')) {
      this.#exit = response;
      response.flushHeaders();
    } else if (pathname.endsWith('/json')) {
      const made = { Mounts: [], NetworkSettings: { Networks: {} } };
      response.end(JSON.stringify({ ...made, ...this.#config, Config: this.#config }));
    } else if (pathname.endsWith('/start')) {
      response.writeHead(204).end();
      this.#run();
    } else {
      if (pathname.endsWith('/kill')) this.killed += 1;
      return false;
    }
    return true;
  }

  async #create(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#config = (await json(request)) as SandboxContainerOptions;
    this.created += 1;
    response.end('{"Id":"1"}');
  }

  #run(): void {
    this.started.resolve();
    const payload = Buffer.from(this.printed);
    const header = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]);
    header.writeUInt32BE(payload.length, 4);
    if (payload.length > 0) this.#attached?.write(Buffer.concat([header, payload]));
    if (this.goesOn) return;
    this.#attached?.end();
    if (this.status !== undefined) this.#exit?.end(JSON.stringify({ StatusCode: this.status }));
  }
}

let containers: Containers;
beforeEach(() => {
  containers = new Containers();
});

describe('the software of an image', () => {
  test.each([
    ['was killed', '', 137],
    ['was killed after its answer began', ANSWER.slice(0, 30), 137],
    ['printed too much', 'x'.repeat(LONGEST_ANSWER + 1), 0],
  ])('is asked again if the command %s', async (what, printed, status) => {
    const provider = await containers.open(`sha256:${what}`);
    Object.assign(containers, { printed, status });
    expect(await provider.software?.()).toBeUndefined();
    Object.assign(containers, { printed: ANSWER, status: 0 });
    expect(await provider.software?.()).toEqual(KNOWN);
    expect(await provider.software?.()).toEqual(KNOWN);
    expect(containers.created).toBe(2);
  });

  test('is not asked after the provider was closed', async () => {
    const provider = await containers.open('sha256:closed');
    await provider.prepare?.();
    await provider.close();
    await expect(provider.software?.()).rejects.toMatchObject({ code: 'CLOSED' });
    expect(containers.created).toBe(0);
  });

  test('is not asked any longer when the provider closes, and no container is left', async () => {
    const provider = await containers.open('sha256:closing');
    containers.goesOn = true;
    const failure = provider.software?.().catch((error: unknown) => error);
    await containers.started.promise;
    await provider.close();
    expect(containers.killed).toBe(1);
    expect(await failure).toMatchObject({ code: 'CLOSED' });
  });

  describe('is not waited for until a deadline', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
    afterEach(() => void vi.useRealTimers());

    test('if the command printed too much and goes on', async () => {
      const provider = await containers.open('sha256:long');
      Object.assign(containers, { printed: 'x'.repeat(LONGEST_ANSWER + 1), goesOn: true });
      expect(await provider.software?.()).toBeUndefined();
      expect(containers.killed).toBe(1);
    });

    test('if the provider closes before the engine says how the command ended', async () => {
      const provider = await containers.open('sha256:unknown');
      Object.assign(containers, { printed: ANSWER, status: undefined });
      const failure = provider.software?.().catch((error: unknown) => error);
      await containers.detached.promise;
      await provider.close();
      expect(await failure).toMatchObject({ code: 'CLOSED' });
    });
  });
});
