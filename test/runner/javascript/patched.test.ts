import { describe, expect, it } from 'vitest';
import { useBench } from '../../contracts/subject.ts';
import { nodeSubject } from './node-subject.ts';

const { runOnce } = useBench(nodeSubject, {
  languages: ['javascript'],
  timeoutMs: 10_000,
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

const LEAVE_WORK = 'setTimeout(() => {}, 1e5); [1].forEach(() => never({}));';

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
    'Reflect.apply = Reflect.get = Object.defineProperty = JSON.stringify = null;',
  ])('has its outcome, and is told what it left: %s', async (code) => {
    expect(await runOnce(`${LEAVE_WORK}\n${code}\n"é"`)).toMatchObject({
      status: 'ok',
      stdout: "'é'\n",
      stderr:
        'Warning: cancelled because the program ended before them: a timer, a tool call; await what must be done\n',
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
});
