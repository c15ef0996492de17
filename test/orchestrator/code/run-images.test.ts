import { expect, it } from 'vitest';
import type { CodeTool } from '../../../src/orchestrator/code/code-tool.ts';
import type { ImageDataBlock } from '../../../src/models/language-model.ts';
import { ToolUses, type ToolUsesOptions } from '../../../src/orchestrator/tool-uses.ts';
import { uses } from '../support.ts';

const MEGABYTES_5: ImageDataBlock = image(5_000_000);
const SMALL: ImageDataBlock = image(3);

function image(bytes: number): ImageDataBlock {
  const data = Buffer.alloc(bytes).toString('base64');
  return { type: 'image', mediaType: 'image/png', data };
}

/** The results of programs that show these images, one after another in one run. */
async function resultsOf(
  programs: readonly (readonly ImageDataBlock[])[],
): Promise<{ readonly text: string; readonly images: readonly ImageDataBlock[] }[]> {
  const answers = programs.map((images) => ({ text: 'so', images, files: [], isError: false }));
  const codeTool = { execute: async () => answers.shift() } as unknown as CodeTool;
  const run = new ToolUses({
    codeTool,
    origin: {},
    events: {},
    signal: new AbortController().signal,
  } as ToolUsesOptions);
  const results: { text: string; images: readonly ImageDataBlock[] }[] = [];
  for (const index of programs.keys()) {
    const use = uses('execute_code', { code: '' }, `${index}`);
    if (use.type !== 'tool-use') throw new Error('not a tool use');
    const { result } = await run.answer(use, { offered: new Set(['execute_code']), purpose: '' });
    results.push({ text: result.text, images: result.images ?? [] });
  }
  return results;
}

const note = (which: string): string =>
  `[Left out: ${which} of those that the program showed, because the images of one run can have 50000000 bytes together. Show fewer or smaller ones.]\nso`;

it('the images of a run are bounded, and the model is told which are left out', async () => {
  const six = Array.from({ length: 6 }, () => MEGABYTES_5);
  const results = await resultsOf([six, [...six, SMALL], [MEGABYTES_5], [], six.slice(0, 2)]);
  expect(results.map(({ text }) => text)).toEqual([
    'so',
    note('images 5, 6, 7'),
    note('image 1'),
    'so',
    note('images 1, 2'),
  ]);
  expect(results.map(({ images }) => images.length)).toEqual([6, 4, 0, 0, 0]);
});

it('a small image is kept where a large one does not fit', async () => {
  const nine = Array.from({ length: 9 }, () => MEGABYTES_5);
  const [result] = await resultsOf([[SMALL, ...nine, MEGABYTES_5, SMALL]]);
  expect(result?.text).toBe(note('image 11'));
  expect(result?.images).toHaveLength(11);
});
