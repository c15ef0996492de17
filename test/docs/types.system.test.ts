import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { allBlocks, blocksOf, type Block } from './snippets/blocks.ts';
import { GIVEN_NAMES, typeErrorsOf } from './snippets/type-check.ts';

const isCode = ({ language, notChecked }: Block): boolean =>
  (language === 'js' || language === 'ts') && notChecked === undefined;

it('the JavaScript and TypeScript of the documentation has no type errors, and a wrong option is one', async () => {
  const blocks = (await allBlocks()).filter(isCode);
  expect(blocks.length).toBeGreaterThan(70);
  const wrong: Block = {
    page: 'WRONG.md',
    line: 7,
    language: 'js',
    text: "import { SandboxExecutor } from 'sandboxed-ptc';\nnew SandboxExecutor({ sandbox: 'docker' });",
    file: undefined,
    notChecked: undefined,
  };
  const errors = typeErrorsOf([...blocks, wrong]);
  expect(errors.filter((error) => !error.startsWith('WRONG.md'))).toEqual([]);
  expect(errors).toEqual([expect.stringMatching(/^WRONG\.md:8: .*'sandbox' does not exist/)]);
});

it('the example of the tool runner is TypeScript too, in which each parameter has a type', () => {
  const example = blocksOf('docs/agent-loops.md').filter(({ text }) => text.includes('betaTool('));
  expect(example).toHaveLength(1);
  const program = example.map((block): Block => ({ ...block, language: 'ts' }));
  expect(typeErrorsOf(program, { noImplicitAny: true, exactOptionalPropertyTypes: true })).toEqual(
    [],
  );
});

it('each given name is used', async () => {
  const code = (await allBlocks()).filter(isCode).map(({ text }) => text);
  const declarations = readFileSync(GIVEN_NAMES, 'utf8');
  const names = declarations.matchAll(/^declare (?:const|function|class|module) '?([\w@/]+)/gm);
  const unused = [...names]
    .map(([, name = '']) => name)
    .filter((name) => !code.some((text) => text.includes(name)));
  expect(unused).toEqual([]);
});
