import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RunEvent } from '../../src/orchestrator/events/run-events.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import type { CheckLevel } from '../../src/tools/tool.ts';
import { converse, runs, says, uses } from './support.ts';

const count = {
  name: 'count',
  description: 'Counts.',
  allowedCallers: ['code', 'direct'],
  outputSchema: { type: 'object', properties: { total: { type: 'integer' } } },
  run: () => ({ total: '3' }),
} as const;

/** What the model gets of a direct call and of one from code, and the errors in the events. */
async function callTwice(
  checkResults: CheckLevel | undefined,
): Promise<{ direct: unknown; code: unknown; errors: (string | undefined)[] }> {
  const errors: (string | undefined)[] = [];
  const { orchestrator, results } = converse(
    [[uses('count', {}, 'd1')], runs('print(await count())'), says('Done.')],
    { toolList: [count], ...(checkResults && { executor: { checkResults } }) },
  );
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'tool-call-ended') errors.push(event.error?.type);
  };
  await orchestrator.run('Count.', { onEvent });
  return { direct: results(1)[0], code: results(2)[0], errors };
}

describe('checkResults of a conversation', () => {
  it("fails direct calls and those of programs if it is 'error', and tells the host", async () => {
    const { direct, code, errors } = await callTwice('error');
    const problem = 'result.total: expected integer, received string';
    expect(direct).toEqual({ text: expect.stringContaining(problem), isError: true });
    expect(direct).toEqual({ text: expect.stringMatching(/^InvalidResult: /), isError: true });
    expect(code).toMatchObject({ text: expect.stringContaining(problem), isError: true });
    expect(errors).toEqual(['InvalidResult', 'InvalidResult']);
  });

  it('changes no result otherwise, and warns once if it is left out, except in production', async () => {
    onTestFinished(() => {
      vi.restoreAllMocks();
      vi.unstubAllEnvs();
    });
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    vi.stubEnv('NODE_ENV', 'production');
    const expected = {
      direct: { text: '{"total":"3"}', isError: false },
      code: { text: "{'total': '3'}", isError: false },
      errors: [undefined, undefined],
    };
    expect(await callTwice(undefined)).toEqual(expected);
    vi.stubEnv('NODE_ENV', 'test');
    expect(await callTwice('off')).toEqual(expected);
    expect(warned).not.toHaveBeenCalled();
    expect(await callTwice(undefined)).toEqual(expected);
    expect(warned.mock.calls).toEqual([
      [expect.stringContaining('"count"'), { code: 'PTC_RESULT_MISMATCH' }],
    ]);
  });

  it('is refused if it is something else', () => {
    const checkResults = true as unknown as CheckLevel;
    expect(() => new SandboxExecutor({ checkResults })).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        message: expect.stringContaining('checkResults must be one of "off", "warn", "error"'),
      }),
    );
  });
});
