import { describe, expect, it } from 'vitest';
import type { ExecutionResult } from '../../../../src/execution/execution.ts';
import { printed, stoppedAt } from '../../../../src/testing/stopped-at.ts';
import { useBench } from '../../../support/bench.ts';

const { print, run, runOnce } = useBench({
  languages: ['javascript'],
  toolList: [
    {
      name: 'never',
      description: 'Never answers.',
      run: async (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    },
  ],
});

const LEAVE_WORK =
  'setTimeout(() => {}, 1e5); setInterval(() => {}, 1e5).unref(); [1].forEach(() => never({}));';

describe('a program of Node that has replaced what is built in', () => {
  it.each([
    'Array.prototype.map = Array.prototype.join = () => "patched";',
    'Array.prototype[Symbol.iterator] = null;',
    'Object.prototype.toJSON = () => "patched";',
    'String.prototype.replace = String.prototype.slice = () => "patched";',
    'RegExp.prototype.exec = RegExp.prototype[Symbol.replace] = () => "patched";',
    'Map.prototype.clear = Map.prototype[Symbol.iterator] = Map.prototype.get = null;',
    'Buffer.from = Buffer.alloc = Buffer.prototype.utf8Write = null;',
    'Promise.prototype.then = Promise.resolve = null;',
    'require("node:util").inspect = require("node:fs").writeSync = require("node:url").pathToFileURL = null;',
    'Reflect.apply = Reflect.get = Object.defineProperty = JSON.stringify = null;',
  ])('has its outcome, and is told what it still waited for: %s', async (code) => {
    expect(await runOnce(`setTimeout(() => {}, 1);\n${code}\n"é"`)).toMatchObject({
      status: 'ok',
      stdout: 'é\n',
      stderr: '',
    });
    const isToldOf = ({ stderr }: ExecutionResult): boolean => stderr !== '';
    const stopped = await stoppedAt(isToldOf, async (timeoutMs) =>
      runOnce(`${LEAVE_WORK}\n${code}`, { timeoutMs }),
    );
    expect(stopped).toMatchObject({
      status: 'timeout',
      stderr: expect.stringMatching(/^Warning: [^:]*: a timer, a tool call\n$/),
    });
  });

  it.each(['Map', 'Set', 'WeakMap', 'Promise', 'RegExp', 'String', 'Error', 'Buffer', 'Array'])(
    'has one too where that was all of %s, and where it fails',
    async (name) => {
      const result = await runOnce(
        `${LEAVE_WORK}\nfor (const key of Reflect.ownKeys(${name}.prototype)) {\n  if (!['constructor', 'prototype', 'length'].includes(key)) {\n    try { Object.defineProperty(${name}.prototype, key, { value: () => 7 }); } catch {}\n  }\n}\nnull.a;`,
      );
      expect(result).toMatchObject({ status: 'error', stdout: '' });
      expect(result.error?.type).toMatch(/Error$/);
    },
  );

  // The end of a run that is stopped waits for what reads files.
  it('is followed by others, also if it did that after it was stopped', async () => {
    const stopped = await stoppedAt(printed('begun'), async (timeoutMs) =>
      run(
        `require('node:fs').readFile('/dev/null', () => { Array.prototype.push = null; });\nconsole.log('begun');\nfor (;;);`,
        { timeoutMs },
      ),
    );
    // The error comes first, so that a failure shows it.
    expect(stopped.error).toMatchObject({ type: 'Timeout' });
    expect(stopped).toMatchObject({ status: 'timeout', sessionOpen: true });
    expect(await print('console.log(typeof [].push)')).toBe('object\n');
  });
});
