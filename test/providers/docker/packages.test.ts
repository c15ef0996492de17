import { describe, expect, it } from 'vitest';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { buildImage } from '../../../src/providers/docker/image/build-image.ts';
import {
  checkPackages,
  type ImagePackages,
  packageLines,
} from '../../../src/providers/docker/image/packages.ts';

const GOOD: readonly ImagePackages[] = [
  {
    pip: ['pandas', 'pandas==2.3', 'scikit-learn>=1.5,<2', 'httpx[http2,cli]~=0.28', 'ruamel.yaml'],
  },
  { npm: ['lodash', 'lodash@4.17.21', '@scope/name', '@scope/name@^1.2.3', 'date-fns@latest'] },
  { apt: ['git', 'g++', 'python3-pandas', 'libc6-dev', 'git=1:2.47.2-0.1~deb13u1'] },
  { from: 'registry.example.com:5000/base/python:3.13-slim' },
  { from: `debian@sha256:${'a'.repeat(64)}` },
];

/** What would be something else than the name of a package in a command line, or in a Dockerfile. */
const HOSTILE = [
  '',
  '-',
  '--index-url=http://evil.example',
  '-e.',
  'a b',
  'a;id',
  'a&&id',
  'a|id',
  '$(id)',
  '${HOME}',
  '`id`',
  "a'b",
  'a"b',
  'a\\',
  'a\nRUN id',
  'a\n',
  'a\r',
  'a\0',
  '#a',
  './a',
  '../a',
  '/a',
  'a/b/c',
  'https://evil.example/a.whl',
  'git+https://evil.example/a',
  'file:a',
  'a @ https://evil.example/a.whl',
  'npm:a',
  'a'.repeat(500),
];

describe('the packages of an image', () => {
  it.each(GOOD)('can be %j', (packages) => {
    expect(() => checkPackages(packages)).not.toThrow();
  });

  it.each(['pip', 'npm', 'apt'] as const)('are names, and nothing else: %s', (kind) => {
    const accepted = HOSTILE.filter((name) => {
      try {
        checkPackages({ [kind]: [name] });
        return true;
      } catch (error) {
        expect(error).toMatchObject({ code: 'OPTION_INVALID' });
        return false;
      }
    });
    expect(accepted).toEqual([]);
  });

  it.each([
    ['apt', 'vim-'],
    ['apt', 'Vim'],
    ['npm', 'lodash@https://evil.example'],
    ['pip', 'a;python_version<"4"'],
  ])('of %s are not %j', (kind, name) => {
    expect(() => checkPackages({ [kind]: [name] })).toThrow(/must be names of packages, such as/);
  });

  it.each(['-x', 'a b', 'a\nRUN id', '$A', ''])('are not added to the image %j', (from) => {
    expect(() => checkPackages({ from })).toThrow(/packages\.from must be the name of an image/);
  });

  it('are words in quotes of one command each, which root runs', () => {
    const lines = packageLines({ apt: ['git', 'g++'], pip: ['pandas<3'], npm: ['lodash'] });
    const [, user, apt, pip, npm, end] = lines.split('\n');
    expect([user, end]).toEqual(['USER 0:0', 'USER 20000:20000']);
    expect(apt).toMatch(/^RUN set -eu; apt-get update; .* install .* -- 'git' 'g\+\+'; rm /);
    expect(pip).toMatch(/python3 -m pip install .* -- 'pandas<3'; rm /);
    expect(npm).toMatch(/npm install .* -- 'lodash'; mv node_modules \/node_modules; /);
    expect(packageLines({})).toBe('');
  });

  it('cannot be combined with an image, and are checked before an engine is looked for', async () => {
    const packages = { pip: ['pandas'] };
    expect(() => dockerProvider({ image: 'python', packages })).toThrow(/cannot be combined/);
    expect(() => dockerProvider({ packages: { pip: ['a;b'] } })).toThrow(/not "a;b"/);
    const host = 'unix:///none';
    await expect(buildImage({ host, npm: ['a b'] })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
    await expect(buildImage({ host, tag: 'A' })).rejects.toThrow(
      /tag must be the name of an image/,
    );
    await expect(buildImage({ host })).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
  });
});
