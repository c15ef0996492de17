import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { buildImage } from '../../../src/providers/docker/image/build-image.ts';
import { buildForever, startFakeEngine } from '../../support/fake-engine.ts';

function breakDown(response: ServerResponse): void {
  response.writeHead(500).end('{"message":"layer store is broken"}');
}

const BROKEN = {
  code: 'SANDBOX_UNAVAILABLE',
  message: expect.stringMatching(/^The container engine failed: layer store is broken\. /),
};

describe('the build of an image', () => {
  it('that is aborted fails with ABORTED', async () => {
    await using engine = await startFakeEngine({ build: buildForever });
    const controller = new AbortController();
    const built = buildImage({ host: engine.host, signal: controller.signal });
    await Promise.race([engine.buildAsked, built]);
    controller.abort();
    await expect(built).rejects.toMatchObject({
      code: 'ABORTED',
      message: 'The build of the image was aborted by the signal that was passed.',
    });
  });

  it('fails with SANDBOX_UNAVAILABLE if the engine cannot say whether it has the image', async () => {
    await using engine = await startFakeEngine({
      special: ({ url = '' }, response) => {
        const isAbout = url.startsWith('/images/');
        if (isAbout) breakDown(response);
        return isAbout;
      },
    });
    const { host } = engine;
    await expect(buildImage({ host })).rejects.toMatchObject(BROKEN);
    const provider = dockerProvider({ host });
    await expect(provider.prepare?.()).rejects.toMatchObject(BROKEN);
    await provider.close();
  });

  it('fails with SANDBOX_UNAVAILABLE if the engine does not name the image', async () => {
    await using engine = await startFakeEngine({
      special: ({ url = '' }, response) => {
        const isNaming = new URL(url, 'http://engine').pathname.endsWith('/tag');
        if (isNaming) breakDown(response);
        return isNaming;
      },
    });
    const named = buildImage({ host: engine.host, tag: 'my-sandbox:1' });
    await expect(named).rejects.toMatchObject(BROKEN);
  });

  it.each([
    'a//b:1',
    'a:5000/',
    'a:b/c',
    'a/',
    'a-',
    'a._b',
    'a___b',
    'A',
    'a:',
    `${'a'.repeat(256)}:1`,
  ])('is refused before it begins if no engine takes the name %j', async (tag) => {
    const request = vi.fn<() => boolean>(() => false);
    await using engine = await startFakeEngine({ special: request });
    await expect(buildImage({ host: engine.host, tag })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
    expect(request).not.toHaveBeenCalled();
  });

  it.each([
    ['my-sandbox', 'my-sandbox', 'latest'],
    ['team/my__sand.box--2:V1.0', 'team/my__sand.box--2', 'V1.0'],
    [`${'a'.repeat(255)}:1`, 'a'.repeat(255), '1'],
    ['localhost:5000/x:1', 'localhost:5000/x', '1'],
    ['registry.example.com:5000/team/sandbox', 'registry.example.com:5000/team/sandbox', 'latest'],
  ])('gets the name %j', async (tag, repo, version) => {
    const named: URLSearchParams[] = [];
    const special = ({ url = '' }: IncomingMessage): boolean => {
      const { pathname, searchParams } = new URL(url, 'http://engine');
      if (pathname.endsWith('/tag')) named.push(searchParams);
      return false;
    };
    await using engine = await startFakeEngine({ special });
    await expect(buildImage({ host: engine.host, tag })).resolves.toBe(tag);
    expect(named.map((query) => Object.fromEntries(query))).toEqual([{ repo, tag: version }]);
  });
});
