import { randomUUID } from 'node:crypto';
import { generateText, stepCountIs } from 'ai';
import { expect, it } from 'vitest';
import { executeCodeTool, type ExecuteCodeToolOptions } from '../../src/ai-sdk/index.ts';
import { useBench } from '../support/bench.ts';
import { modelThat, resultsIn } from './support.ts';

const bench = useBench({});

/** What the model gets for a program. */
async function resultOf(
  code: string,
  onFiles: ExecuteCodeToolOptions['onFiles'],
): Promise<unknown> {
  const model = modelThat({ code }, { text: 'Done.' });
  const execute_code = executeCodeTool({
    executor: bench.executor,
    sessionKey: randomUUID(),
    ...(onFiles && { onFiles }),
  });
  await generateText({
    model,
    tools: { execute_code },
    stopWhen: stepCountIs(4),
    prompt: 'Write.',
  });
  return resultsIn(model)[0];
}

it('passes on the files that a program leaves, and what throws then ends the request', async () => {
  const code =
    'import os\nwith open(os.environ["OUTPUT_DIR"] + "/a.md", "w") as file: print(file=file)';
  const got: unknown[] = [];
  const onFiles = (...given: readonly unknown[]): unknown => got.push(given);
  expect(await resultOf(code, onFiles)).toMatchObject({
    value: expect.stringContaining('The user gets these files of $OUTPUT_DIR'),
  });
  expect(got).toEqual([
    [
      [{ name: 'a.md', mediaType: 'text/markdown', sizeBytes: 1, data: btoa('\n') }],
      expect.objectContaining({ toolCallId: expect.any(String) }),
    ],
  ]);
  const onFull = (): never => {
    throw new Error('The disk is full.');
  };
  await expect(resultOf(code, onFull)).rejects.toThrow('The disk is full.');
});
