import { expect, it } from 'vitest';
import { useBench } from '../../../support/bench.ts';

const { print, run } = useBench({ languages: ['javascript'] });

it.each([
  ['replaced a method', 'console.log = () => {};'],
  ['removed a method', 'delete console.log;'],
  ['opened a group', 'console.group("a");'],
  ['counted', 'console.count("b");'],
  ['took a time', 'console.time("b");'],
  ['added something', 'console.added = 1;'],
  ['made it constant', 'Object.freeze(console);'],
  ['gave it other methods', 'Object.setPrototypeOf(console, { added: 1 });'],
  ['replaced what it writes to', 'console._stdout = null;'],
  ['replaced how it writes', 'console._stdout.write = () => {};'],
  ['replaced the console', 'globalThis.console = null;'],
  ['replaced the streams', 'process.stdout = process.stderr = null;'],
  ['ended the streams', 'process.stdout.end(); process.stderr.destroy();'],
])('the console of a program is as new, if the last program %s', async (_, code) => {
  await run(code);
  expect(
    await print(
      'console.log("a"); console.count("b"); console.timeEnd("b"); console.log = null; process.stdout.write("c\\n"); console.added',
    ),
  ).toBe('a\nb: 1\nc\n');
});

it('the console writes by the streams of the program', async () => {
  const code = `
const { write } = process.stdout;
process.stdout.write = function (text, ...others) {
  return write.call(this, text.toUpperCase(), ...others);
};
process.stderr.on('error', ({ message }) => console.log('failed:', message));
process.stderr.write = function () {
  this.emit('error', new Error('no'));
};
console.log('a');
console.error('b');`;
  expect(await run(code)).toMatchObject({ status: 'ok', stdout: 'A\nFAILED: NO\n', stderr: '' });
  expect(await run('console.log("a"); console.error("b")')).toMatchObject({
    stdout: 'a\n',
    stderr: 'b\n',
  });
});
