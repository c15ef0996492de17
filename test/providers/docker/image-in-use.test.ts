import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import type { SandboxProvider } from '../../../src/sandbox/sandbox.ts';
import { inBackground } from '../../../src/shared/async/background.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { startFakeEngine } from '../../support/fake-engine.ts';
import { specOf } from './support.ts';

/** An engine with one image at most, which starts no container. */
class Images {
  /** The id of the image. Undefined if there is none. */
  id: string | undefined = 'sha256:1';
  /** How often it was asked about the image. */
  looks = 0;
  /** The images that containers were to have. */
  readonly started: unknown[] = [];
  /** Answers the request for a container. */
  answer: (response: ServerResponse) => void | Promise<void> = refuse;

  async open(options: { readonly image?: string } = {}): Promise<SandboxProvider> {
    const engine = await startFakeEngine({
      build: (response) => {
        this.id = 'sha256:2';
        response.end('{"stream":"Step 1/1"}\r\n');
      },
      special: (request, response) => this.#answers(request, response),
    });
    const provider = dockerProvider({ host: engine.host, ...options });
    onTestFinished(async () => {
      await provider.close();
      await engine[Symbol.asyncDispose]();
    });
    return provider;
  }

  #answers(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = '' } = request;
    response.setHeader('content-type', 'application/json');
    if (url.startsWith('/images/')) {
      this.looks += 1;
      if (this.id === undefined) noImage(response);
      else response.end(JSON.stringify({ Id: this.id, Config: { Labels: {} } }));
      return true;
    }
    if (!url.startsWith('/containers/create')) return false;
    inBackground(this.#create(request, response));
    return true;
  }

  async #create(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { Image } = (await json(request)) as { readonly Image: unknown };
    this.started.push(Image);
    await this.answer(response);
  }
}

function refuse(response: ServerResponse): void {
  response.writeHead(500).end('{"message":"enough"}');
}

function noImage(response: ServerResponse): void {
  response.writeHead(404).end('{"message":"No such image: sha256:1"}');
}

const REFUSED = { status: 'rejected', reason: { code: 'SANDBOX_START_FAILED' } };

test('a provider goes on with its image when the name is given to another one', async () => {
  const images = new Images();
  const provider = await images.open({ image: 'my-sandbox:1' });
  await expect(provider.create(specOf('first'))).rejects.toThrow('enough');
  images.id = 'sha256:other';
  await expect(provider.create(specOf('second'))).rejects.toThrow('enough');
  expect(images.started).toEqual(['sha256:1', 'sha256:1']);
});

test('an image that is gone is reported by its name', async () => {
  const images = new Images();
  images.answer = noImage;
  const provider = await images.open({ image: 'my-sandbox:1' });
  await expect(provider.create(specOf('gone'))).rejects.toMatchObject({
    code: 'IMAGE_UNAVAILABLE',
    message: 'The engine does not have the image my-sandbox:1.',
  });
});

test('an image that was removed is looked for and built once for all starts that miss it', async () => {
  const images = new Images();
  const provider = await images.open();
  await provider.prepare?.();
  images.id = undefined;
  const built = createDeferred<void>();
  images.answer = async (response) => {
    if (images.started.length > 2) return refuse(response);
    // The second start learns that the image is gone when the first one has built it.
    if (images.started.length === 2) await built.promise;
    noImage(response);
  };
  const starts = ['one', 'other'].map(async (name) =>
    provider.create(specOf(name)).finally(() => built.resolve()),
  );
  expect(await Promise.allSettled(starts)).toMatchObject([REFUSED, REFUSED]);
  expect(images.started).toEqual(['sha256:1', 'sha256:1', 'sha256:2', 'sha256:2']);
  expect(images.looks).toBe(3);
});
