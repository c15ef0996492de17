import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import {
  prepareScript,
  startScript,
  STDIN_DESCRIPTOR,
} from '../../../src/providers/bubblewrap/start/launcher-script.ts';

test('a launcher gets the words of a command unchanged', () => {
  const words = [`it's`, '$HOME `id`', 'two\nlines', '', '\\', '-n', '"'];
  const input = `exec ${STDIN_DESCRIPTOR}</dev/null\n${startScript(['printf', '%s|', ...words])}`;
  const printed = execFileSync('/bin/sh', ['-s'], { input });
  expect(printed.toString()).toBe(words.map((word) => `${word}|`).join(''));
});

test('a launcher that cannot enter its group does nothing else [bubblewrap/control-group]', () => {
  const run = (): Buffer =>
    execFileSync('/bin/sh', ['-s'], {
      input: `${prepareScript(1, 'size=1')}echo on\n`,
      stdio: 'pipe',
    });
  expect(run).toThrow(expect.objectContaining({ stdout: Buffer.alloc(0) }));
});
