import picocolors from 'picocolors';
import { describe, expect, it } from 'vitest';
import { RunView } from '../../../src/cli/view/run-view.ts';
import type { RunEventBody } from '../../../src/orchestrator/events/run-events.ts';

const call = { caller: 'code', toolUseId: 'program', callId: '1', toolName: 'lookup' } as const;

function show(...events: readonly RunEventBody[]): string {
  return showIn(50, ...events);
}

function showIn(columns: number | undefined, ...events: readonly RunEventBody[]): string {
  let shown = '';
  const view = new RunView({
    write: (text) => {
      shown += text;
    },
    colors: picocolors.createColors(false),
    columns: () => columns,
  });
  for (const event of events) view.show(event);
  view.end();
  return shown;
}

describe('the view of a run', () => {
  it('shows code as it streams, and what of it did not stream', () => {
    const delta = { type: 'tool-input-delta', toolUseId: 'a', toolName: 'execute_code' } as const;
    const start = {
      type: 'program-started',
      toolUseId: 'a',
      language: 'python',
      code: 'x = 1\n\nprint(x)',
    } as const;
    const framed = '  ╭ code\n  │ x = 1\n  │\n  │ print(x)\n  ╰\n\n';
    expect(show({ ...delta, json: '{"code":"x =' }, { ...delta, json: ' 1\\n\\npri' }, start)).toBe(
      framed,
    );
    expect(show(start)).toBe(framed);
  });

  it('says of a broken answer that it is void, and shows its code anew', () => {
    const delta = { type: 'tool-input-delta', toolUseId: 'a', toolName: 'execute_code' } as const;
    const shown = show(
      { ...delta, json: '{"code":"x = ' },
      { type: 'answer-discarded', turn: 1 },
      {
        type: 'model-retry-scheduled',
        turn: 1,
        model: 'a',
        nextModel: 'b',
        waitMs: 0,
        error: { code: 'MODEL_STREAM_CUT', message: 'It broke \u001b[31moff.' },
      },
      { ...delta, json: '{"code":"y = 2"}' },
      { type: 'program-started', toolUseId: 'a', language: 'python', code: 'y = 2' },
    );
    expect(shown).toContain('  [This answer broke off and is void; the model is asked again.]');
    expect(shown).toContain(String.raw`  Retrying with b: It broke \x1b[31moff.`);
    expect(shown).toContain('  ╭ code\n  │ y = 2\n  ╰\n');
  });

  it('shows the code of an answer after one that was stopped, under the same id', () => {
    const delta = { type: 'tool-input-delta', toolUseId: 'a', toolName: 'execute_code' } as const;
    const json = '{"code":"x = 1"}';
    const shown = show(
      { ...delta, json },
      { type: 'run-failed', error: { code: 'ABORTED', message: 'Stopped.' } },
      { type: 'run-started', input: 'Again.' },
      { ...delta, json },
    );
    expect(shown.split('  ╭ code\n  │ x = 1\n').length - 1).toBe(2);
  });

  it('tells that the conversation was made shorter', () => {
    const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0 };
    const tokens = { tokensBefore: 160_000, tokensAfter: 70_000, summary: 'Boats.', usage };
    expect(show({ type: 'context-compacted', turn: 1, ...tokens })).toContain(
      'from about 160000 to about 70000 tokens',
    );
  });

  const ok = { result: '1', resultCharacters: 1, error: undefined };

  it('puts a call on one line, with its time at the edge', () => {
    const shown = show(
      { ...call, type: 'tool-call-started', arguments: { name: 'Ada', tags: ['a\nb'] } },
      { ...call, type: 'tool-call-ended', durationMs: 12.4, ...ok },
    );
    expect(shown).toBe(`${'  → lookup(name="Ada", tags=["a\\nb"])'.padEnd(41)}    12 ms\n\n`);
  });

  it('cuts a call that is wider than the terminal', () => {
    const shown = show(
      { ...call, type: 'tool-call-started', arguments: { text: 'x'.repeat(1000) } },
      { ...call, type: 'tool-call-ended', durationMs: 1234, ...ok },
    );
    expect(shown).toMatch(/^ {2}→ lookup\(text="x+… +1\.23 s\n\n$/);
    expect(shown.trimEnd().length).toBeLessThanOrEqual(50);
  });

  it('says why a call failed', () => {
    const error = { type: 'Failed', message: 'no such \u001b[31mname' };
    const shown = show(
      { ...call, type: 'tool-call-started', arguments: {} },
      { ...call, type: 'tool-call-ended', durationMs: 1, ...ok, result: undefined, error },
    );
    expect(shown).toContain('  ✗ lookup()');
    expect(shown).toContain(String.raw`    Failed: no such \x1b[31mname`);
  });

  it('frames output that comes in pieces, and keeps it from the text around it', () => {
    const output = { type: 'output-delta', toolUseId: 'program', stream: 'stdout' } as const;
    expect(
      show(
        { type: 'text-delta', text: 'I look' },
        { type: 'text-delta', text: ' it up.' },
        { ...output, text: 'one\ntw' },
        { ...output, text: 'o\u0007' },
        { type: 'text-delta', text: 'Two.' },
      ),
    ).toBe('I look it up.\n\n  ╭ printed\n  │ one\n  │ two\\x07\n  ╰\n\nTwo.\n\n');
  });

  const wide = '你好，世界。';

  it('keeps long lines of code and output in their boxes', () => {
    const start = { type: 'program-started', toolUseId: 'a', language: 'python' } as const;
    const output = { type: 'output-delta', toolUseId: 'program', stream: 'stdout' } as const;
    expect(
      showIn(
        16,
        { ...start, code: 'print("a long line")\n\nx = 1' },
        { ...output, text: 'twelve chars' },
        { ...output, text: '\n' },
        { ...output, text: `${wide} in 12\n` },
      ),
    ).toBe(
      [
        '  ╭ code',
        '  │ print("a lon',
        '  │ g line")',
        '  │',
        '  │ x = 1',
        '  ╰',
        '',
        '  ╭ printed',
        '  │ twelve chars',
        '  │ 你好，世界。',
        '  │  in 12',
        '  ╰',
        '',
        '',
      ].join('\n'),
    );
  });

  it('leaves long lines as they are if there is no terminal', () => {
    const text = `${wide.repeat(100)}\n`;
    const shown = showIn(undefined, {
      type: 'output-delta',
      toolUseId: 'program',
      stream: 'stdout',
      text,
    });
    expect(shown).toBe(`  ╭ printed\n  │ ${text}  ╰\n\n`);
  });

  it('uses the new width of a resized terminal', () => {
    let shown = '';
    let columns = 24;
    const view = new RunView({
      write: (text) => {
        shown += text;
      },
      colors: picocolors.createColors(false),
      columns: () => columns,
    });
    const output = { type: 'output-delta', toolUseId: 'program', stream: 'stdout' } as const;
    view.show({ ...output, text: 'x'.repeat(30) });
    columns = 14;
    view.show({ ...output, text: 'y'.repeat(15) });
    expect(shown).toBe(
      `  ╭ printed\n  │ ${'x'.repeat(20)}\n  │ ${'x'.repeat(10)}\n  │ ${'y'.repeat(10)}\n  │ yyyyy`,
    );
  });

  it('shows the arguments of a direct tool as no program, whatever they are named', () => {
    const toolUseId = 'a';
    const json = '{"code": "4711"}';
    expect(show({ type: 'tool-input-delta', toolUseId, toolName: 'unlock', json })).toBe('');
  });

  it('cuts a call by the columns that its characters take', () => {
    const shown = show(
      { ...call, type: 'tool-call-started', arguments: { text: wide.repeat(10) } },
      { ...call, type: 'tool-call-ended', durationMs: 5, ...ok },
    );
    // Half a character has no place, so a space is before the time.
    expect(shown).toBe(`  → lookup(text="你好，世界。你好，世界…      5 ms\n\n`);
  });
});
