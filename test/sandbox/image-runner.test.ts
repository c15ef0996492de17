import { expect, test } from 'vitest';
import { compareRunner, otherRunnerNotice } from '../../src/sandbox/image-runner.ts';
import { readRunnerSource } from '../../src/sandbox/runner-command.ts';

const runner = await readRunnerSource();

test.each([
  [undefined, { hasRunner: false, hasOtherRunner: false }],
  [runner.hash, { hasRunner: true, hasOtherRunner: false }],
  ['0123456789abcdef', { hasRunner: false, hasOtherRunner: true }],
])(
  'an image with the label %s has the runner of this version, another one or none',
  (label, is) => {
    expect(compareRunner(label, runner)).toEqual(is);
  },
);

test('the user of an image with another runner is told how to build it again', () => {
  expect(otherRunnerNotice('ours:1')).toMatch(/^The image ours:1 .* build-context DIRECTORY`\.$/);
});
