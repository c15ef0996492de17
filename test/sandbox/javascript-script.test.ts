import vm from 'node:vm';
import { expect, test } from 'vitest';
import { javascriptScript } from '../../src/sandbox/guests/javascript-script.ts';

/** Loads the entry, and gives what it exports as `result`. */
const END = `
  const load = (name) => factories[name](load);
  result = load('main.mjs').result;
`;

function resultOf(modules: Readonly<Record<string, string>>): unknown {
  const context = vm.createContext({ result: undefined });
  vm.runInContext(`let result;${javascriptScript(modules, 'main.mjs', END)}result`, context);
  return vm.runInContext('result', context);
}

test('a script does what its modules do, in whichever form they import and export', () => {
  const result = resultOf({
    'main.mjs': [
      "import * as numbers from 'numbers';",
      "import { twice as double,\n  Box } from './deep/twice.mjs';",
      'export const result = [numbers.one, numbers.many(), double(numbers.one), new Box(3).value].join();',
    ].join('\n'),
    'deep/twice.mjs': [
      "import { box } from '../box.mjs';",
      'export function twice(value) { return 2 * value; }',
      'export class Box extends box {}',
    ].join('\n'),
    'box.mjs': 'class Box { constructor(value) { this.value = value; } }\nexport { Box as box };',
    numbers:
      "const one = 1, more$ = () => 'more';\nexport {\n  one,\n  more$ as many\n};\nexport const other = 2;",
  });
  expect(result).toBe('1,more,2,3');
});

test('a script has no modules that its entry does not need', () => {
  const modules = { 'main.mjs': 'export const result = 1;', 'other.mjs': 'not even a module' };
  expect(javascriptScript(modules, 'main.mjs', END)).not.toContain('not even');
});

test.each(['export default 1;', "export * from './a.mjs';", "import './a.mjs';"])(
  'what no script can be made of is said: %s',
  (source) => {
    expect(() => javascriptScript({ 'main.mjs': source }, 'main.mjs', END)).toThrow(
      'main.mjs has an import or export that is not supported',
    );
  },
);
