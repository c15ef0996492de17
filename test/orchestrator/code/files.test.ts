import { expect, it } from 'vitest';
import { codeTool } from '../../../src/orchestrator/code/code-tool.ts';
import { useExecutors } from '../../sessions/support.ts';
import { converse, runs, says } from '../support.ts';

const makeExecutor = useExecutors();

/** A program that leaves files with these texts. */
function leaving(files: Readonly<Record<string, string>>): string {
  return `import os, pathlib
for name, text in ${JSON.stringify(files)}.items():
    pathlib.Path(os.environ["OUTPUT_DIR"], name).write_text(text)`;
}

function file(name: string, text: string): object {
  const data = Buffer.from(text).toString('base64');
  return { name, mediaType: 'text/plain', sizeBytes: text.length, data };
}

it('the model is told which files of its program the user gets', async () => {
  const { orchestrator, results } = converse([
    runs(leaving({ 'a.txt': 'x', 'b.txt': '' })),
    says('Done.'),
  ]);
  await orchestrator.run('Write.');
  expect(results(1)).toEqual([
    {
      text: '[The user gets these files of $OUTPUT_DIR, which is empty again: a.txt (1 B), b.txt (0 B).]',
      isError: false,
    },
  ]);
});

it('the model is told which files the user does not get, and why', async () => {
  const { orchestrator, results } = converse([
    runs('import os\nos.symlink("/etc/passwd", os.environ["OUTPUT_DIR"] + "/link")'),
    says('Oh.'),
  ]);
  const { files, fileProblems } = await orchestrator.run('Write.');
  const problem =
    'Of $OUTPUT_DIR, 1 entry could not be returned, because only regular files are returned: "link".';
  expect(results(1)[0]?.text.split('\n')).toEqual([
    `[${problem}]`,
    expect.stringMatching(/^\[What was not returned is still in ".*"/),
  ]);
  expect(files).toEqual([]);
  expect(fileProblems[0]).toBe(problem);
});

it('a run has the files of all its programs, and of equal names the last', async () => {
  const { orchestrator } = converse([
    runs(leaving({ 'a.txt': 'old', 'b.txt': 'b' })),
    runs(leaving({ 'a.txt': 'new' })),
    says('Done.'),
  ]);
  const { files, fileProblems } = await orchestrator.run('Write.');
  expect(files).toEqual([file('b.txt', 'b'), file('a.txt', 'new')]);
  expect(fileProblems).toEqual([]);
});

it('other agent loops get the files beside the text', async () => {
  const { executor } = makeExecutor();
  const tool = codeTool({ executor });
  expect(await tool.execute({ code: leaving({ 'a.txt': 'x' }) })).toMatchObject({
    files: [file('a.txt', 'x')],
    isError: false,
  });
  expect((await tool.execute({ code: 7 })).files).toEqual([]);
});

it('tells models of all languages where to put files', () => {
  const { executor } = makeExecutor({ languages: ['python', 'typescript', 'bash'] });
  expect(codeTool({ executor }).description.match(/directory `.*OUTPUT_DIR.*?`/g)).toEqual([
    'directory `os.environ["OUTPUT_DIR"]`',
    'directory `process.env.OUTPUT_DIR`',
    'directory `$OUTPUT_DIR`',
  ]);
});
