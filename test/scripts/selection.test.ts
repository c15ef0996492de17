import { resolve } from 'node:path';
import { expect, it } from 'vitest';

interface Needs {
  readonly sandboxes: boolean;
  readonly engine: boolean;
  readonly newerNode: boolean;
  readonly cluster: boolean;
  readonly packages: readonly { readonly what: string }[];
}

interface SelectionModule {
  readonly needsOf: (files: readonly { file: string; projectName: string }[]) => Needs;
}

const module = new URL('../../scripts/test/selection.mjs', import.meta.url).href;
const { needsOf } = (await import(module)) as SelectionModule;

function listed(projectName: string, path: string): { file: string; projectName: string } {
  return { file: resolve(path), projectName };
}

const UNIT = listed('unit', 'test/languages/node-library.test.ts');
const BUBBLEWRAP = listed('system', 'test/contracts/bubblewrap/python.test.ts');
/** It imports the engine itself. */
const DOCKER = listed('system', 'test/providers/docker/lifecycle.test.ts');
/** Its helpers import the engine. */
const PLACE = listed('system', 'test/security/places/docker/isolation.test.ts');

it.each([
  ['unit tests', [UNIT], false, false],
  ['tests of bubblewrap', [UNIT, BUBBLEWRAP], true, false],
  ['tests of Docker', [BUBBLEWRAP, DOCKER], true, true],
  ['tests whose helpers use an engine', [PLACE], true, true],
  ['tests of the packed package', [listed('package', 'test/package/tarball.test.ts')], true, false],
])('%s need sandboxes or an engine only if they use them', (_, files, sandboxes, engine) => {
  expect(needsOf(files)).toMatchObject({ sandboxes, engine });
});

it('tests of packages that Node 20 cannot run need a newer Node', () => {
  const conformance = 'test/mcp/conformance/server.test.ts';
  expect(needsOf([listed('system-mcp-conformance', conformance)]).newerNode).toBe(true);
  expect(needsOf([UNIT, DOCKER, BUBBLEWRAP]).newerNode).toBe(false);
});

it('only tests of a cluster need one', () => {
  expect(needsOf([UNIT, DOCKER, BUBBLEWRAP]).cluster).toBe(false);
  const pods = listed('cluster', 'test/cluster/pods.system.test.ts');
  expect(needsOf([pods])).toMatchObject({ cluster: true, engine: true });
  const script = listed('cluster', 'test/cluster/script/remains.system.test.ts');
  expect(needsOf([script])).toMatchObject({ cluster: true, engine: false });
});

it('tests of packages that are not among the development packages need only these', () => {
  const files = [
    UNIT,
    DOCKER,
    listed('system-ai-sdk-7', 'test/ai-sdk/version-7/providers.test.ts'),
  ];
  expect(needsOf(files).packages.map(({ what }) => what)).toEqual(['version 7 of the AI SDK']);
  expect(needsOf([UNIT, DOCKER]).packages).toEqual([]);
});
