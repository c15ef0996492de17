import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../../src/models/scripted.ts';
import { ask, endOf, failureOf } from '../support/model-requests.ts';

describe('a scripted model', () => {
  it('gives its answers in their order, and quotes the request where a turn is a function', async () => {
    const model = scriptedModel([
      [{ type: 'tool-use', id: 'a', name: 'execute_code', input: { code: 'print(6 * 7)' } }],
      async ({ messages }) => {
        const result = messages.at(-1)?.content[0];
        return [{ type: 'text', text: result?.type === 'tool-result' ? result.text : 'nothing' }];
      },
    ]);
    const first = await ask(model);
    expect(first.slice(0, -1)).toEqual([
      { type: 'tool-use-started', id: 'a', name: 'execute_code' },
      { type: 'tool-input-delta', id: 'a', json: '{"code":"print(6 * 7)"}' },
    ]);
    expect(endOf(first).stopReason).toBe('tool-use');
    const second = await ask(model, {
      messages: [
        {
          role: 'user',
          content: [{ type: 'tool-result', toolUseId: 'a', text: '42', isError: false }],
        },
      ],
    });
    expect(second[0]).toEqual({ type: 'text-delta', text: '42' });
    expect(endOf(second)).toMatchObject({
      content: [{ type: 'text', text: '42' }],
      stopReason: 'end',
    });
  });

  it('can be one function, also an async one, that answers each request', async () => {
    let requests = 0;
    const model = scriptedModel(async () => [{ type: 'text', text: String((requests += 1)) }]);
    for (const text of ['1', '2']) {
      expect(endOf(await ask(model)).content).toEqual([{ type: 'text', text }]);
    }
  });

  it('stops for the reason that a turn names', async () => {
    const model = scriptedModel([{ content: [], stopReason: 'refusal' }]);
    expect(endOf(await ask(model))).toMatchObject({ stopReason: 'refusal', content: [] });
  });

  it('counts tokens of what was said, so that a longer request counts more', async () => {
    const model = scriptedModel([[], []]);
    const short = endOf(await ask(model)).usage;
    const long = endOf(await ask(model, { system: 'x'.repeat(4000) })).usage;
    expect(long.inputTokens - short.inputTokens).toBeGreaterThan(900);
  });

  it('fails where it is asked for more than its script has', async () => {
    const model = scriptedModel([[]]);
    await ask(model);
    const { error } = await failureOf(model);
    expect(error).toMatchObject({
      code: 'MODEL_REQUEST_FAILED',
      message:
        'The scripted model was asked for answer 2, but its script has only 1. Add an answer to the script.',
    });
  });

  it('says in its id that it is a script, and reacts to an aborted signal', async () => {
    const model = scriptedModel([[]]);
    expect(model.id).toBe('scripted');
    expect((await failureOf(model, { signal: AbortSignal.abort() })).error.code).toBe('ABORTED');
    expect(endOf(await ask(model)).stopReason).toBe('end');
  });
});
