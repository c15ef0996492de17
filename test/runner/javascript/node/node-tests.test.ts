import { expect, it } from 'vitest';
import { useBench } from '../../../support/bench.ts';

const bench = useBench({ languages: ['javascript'] });

const FIRST = `
import test, { before, describe, it } from 'node:test';
import assert from 'node:assert';
test('passes', () => {});
describe('group', () => { it('fails', () => assert.equal(1, 2)); });`;

it('node:test reports the tests of the first program with tests', async () => {
  await using session = await bench.open();
  await session.execute('import "node:test";');
  const { exitCode, stdout } = await session.execute(FIRST);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/ pass 1\n. fail 1\n/);
});

it.each([
  ['by another import', "import again from 'node:test';\nagain('passes', () => {});"],
  ['by require', "\nrequire('node:test').it('passes', () => {});"],
  ['by a name of the first program', "\nawait test('fails', () => assert.equal(1, 2));"],
  ['in a group', "\ndescribe('group', () => {});"],
  // The program skips it; this file skips nothing.
  ['that is skipped', "\ntest.skip('skipped', () => {});"],
  ['by a hook', '\nbefore(() => {});'],
  [
    'from a file',
    '\nawait import(\'data:text/javascript,import test from "node:test"; test(() => {})\');',
  ],
])(
  'a test of a later program is an error, because no report would have it: %s',
  async (_, code) => {
    await using session = await bench.open();
    await session.execute(FIRST);
    expect(await session.execute(code)).toMatchObject({
      status: 'error',
      stdout: '',
      error: {
        type: 'Error',
        line: 2,
        message: expect.stringMatching(/^node:test reports only .* in a new session/),
      },
    });
    expect(await session.execute("import 'node:test';\n1")).toMatchObject({ stdout: '1\n' });
  },
);

it('resources of a program for asynchronous calls are as they are in Node', async () => {
  const code = `
const { AsyncResource } = require('node:async_hooks');
const { runInAsyncScope } = AsyncResource.prototype;
class Own extends AsyncResource { root = { createSubtest: 'own' }; }
const value = new Own('own').runInAsyncScope(function (...given) { return [this.is, ...given]; }, { is: 'this' }, 1, 2);
console.log(value, runInAsyncScope.name, runInAsyncScope.length);`;
  expect(await bench.print(code)).toBe("[ 'this', 1, 2 ] runInAsyncScope 2\n");
});
