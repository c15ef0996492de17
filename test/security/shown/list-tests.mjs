// Prints the tests of this package as JSON: [{ file, title, skipped }]. Vitest parses their files and runs none of them,
// so a test that is made in a loop is not in the list.
import { createVitest } from 'vitest/node';

const vitest = await createVitest('test', { watch: false, reporters: [] });
const modules = await vitest.experimental_parseSpecifications(
  await vitest.globTestSpecifications(),
);
const tests = modules.flatMap((module) =>
  [...module.children.allTests()].map(({ name, options }) => ({
    file: module.relativeModuleId,
    title: name,
    skipped: options.mode === 'skip' || options.mode === 'todo',
  })),
);
await vitest.close();
process.stdout.write(JSON.stringify(tests));
