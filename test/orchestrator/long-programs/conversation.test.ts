import { expect, it } from 'vitest';
import type { RunEvent } from '../../../src/orchestrator/events/run-events.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import type { ModelRequest } from '../../../src/models/language-model.ts';
import type { ScriptedTurn } from '../../../src/models/scripted.ts';
import { converse, refusalOf, runs, says, uses } from '../support.ts';

const CODE = 'print("begun")\nprint(await gate())';

/** The id of the program in the last result of a request. */
function programOf({ messages }: ModelRequest): string {
  const texts = messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool-result' ? [block.text] : [])),
  );
  return /Program (\w{8}) /.exec(texts.at(-1) ?? '')?.[1] ?? 'none';
}

function goesOn(rest: Readonly<Record<string, unknown>> = {}, id = 'more'): ScriptedTurn {
  return (request) => [uses('execute_code', { program: programOf(request), ...rest }, id)];
}

/** The program calls `gate`, which returns when the test opens it. */
function start(turns: readonly ScriptedTurn[]) {
  const opened = createDeferred<string>();
  const called = createDeferred<void>();
  const gate = defineTool({
    name: 'gate',
    description: 'Waits.',
    allowedCallers: ['code'],
    run: async () => {
      called.resolve();
      return opened.promise;
    },
  });
  const events: RunEvent[] = [];
  const conversation = converse(turns, { yieldAfterMs: 1, tools: [gate] });
  const onEvent = (event: RunEvent): void => {
    events.push(event);
    // The model goes on with the program before it can end.
    if (event.type === 'program-yielded') opened.resolve('open');
  };
  return { ...conversation, events, onEvent, called };
}

it('the model goes on with its program in later turns of the run', async () => {
  const { orchestrator, events, onEvent, results } = start([
    runs(CODE),
    goesOn({ wait_ms: 300_000 }),
    says('Done.'),
  ]);
  const { text, toolCalls } = await orchestrator.run('Go.', { onEvent });
  expect({ text, toolCalls }).toEqual({ text: 'Done.', toolCalls: 1 });
  expect(`${results(1)[0]?.text}\n${results(2)[0]?.text}`).toMatch(/still runs[^]*\nopen$/);
  const ofProgram = events.filter(({ type }) => type.startsWith('program-'));
  expect(ofProgram).toMatchObject([
    { type: 'program-started', toolUseId: 'program' },
    { type: 'program-yielded', toolUseId: 'program' },
    { type: 'program-ended', toolUseId: 'program', result: { status: 'ok' } },
  ]);
});

/** The program calls `gate`, which never returns. */
function stuck(turns: readonly ScriptedTurn[]) {
  const events: RunEvent[] = [];
  const called = createDeferred<void>();
  const gate = defineTool({
    name: 'gate',
    description: 'Waits for ever.',
    run: () => {
      called.resolve();
      return new Promise<string>(() => {});
    },
  });
  // The model is asked again when the program has called its tool.
  const prepareTurn = async ({ turn }: { readonly turn: number }): Promise<undefined> => {
    if (turn > 1) await called.promise;
  };
  const options = { yieldAfterMs: 1, tools: [gate], prepareTurn };
  const onEvent = (event: RunEvent): void => void events.push(event);
  return { ...converse(turns, options), events, onEvent };
}

it('the end of a run stops its program, and the next run can read what it had done', async () => {
  const { orchestrator, results, requests, events, onEvent } = stuck([
    runs(CODE),
    says('It runs.'),
    runs('print("another")', 'other'),
    goesOn({}, 'look'),
    says('Stopped.'),
  ]);
  await orchestrator.run('Go.', { onEvent });
  expect(events.slice(-2)).toMatchObject([
    { type: 'program-ended', result: { status: 'cancelled' } },
    { type: 'run-ended', result: { toolCalls: 1 } },
  ]);
  await orchestrator.run('And?');
  expect(requests).toHaveLength(5);
  expect(results(3)[0]?.text).toMatch(/^Program \w{8} has ended, and you have not read how\./);
  expect(results(4)[0]?.text).toContain('gate({}): it is not known whether this was done');
});

it('a run that is aborted stops its program', async () => {
  const aborter = new AbortController();
  const { orchestrator, events } = stuck([runs(CODE), says('Never asked.')]);
  const run = orchestrator.run('Go.', {
    signal: aborter.signal,
    onEvent: (event) => {
      events.push(event);
      if (event.type === 'program-yielded') aborter.abort();
    },
  });
  expect(await refusalOf(run)).toMatchObject({ code: 'ABORTED' });
  expect(events.slice(-2)).toMatchObject([
    { type: 'program-ended', result: { status: 'cancelled' } },
    { type: 'run-failed' },
  ]);
});

it('a run that fails stops its program', async () => {
  // The script ends, so the model fails.
  const { orchestrator, events, onEvent } = stuck([runs(CODE)]);
  const run = orchestrator.run('Go.', { onEvent });
  expect(await refusalOf(run)).toMatchObject({ code: 'MODEL_REQUEST_FAILED' });
  expect(events.slice(-2)).toMatchObject([
    { type: 'program-ended', result: { status: 'cancelled' } },
    { type: 'run-failed' },
  ]);
});

it('of two programs in one answer, the second is refused while the first runs', async () => {
  const { orchestrator, results } = stuck([
    [...runs(CODE, 'a'), ...runs('print("second")', 'b')],
    goesOn({ stop: true }),
    says('Done.'),
  ]);
  await orchestrator.run('Go.');
  const [first, second] = results(1);
  expect(first?.text).toContain('still runs, after ');
  expect(second).toMatchObject({ isError: true });
  expect(second?.text).toContain('one program runs at a time');
});

it('a restored conversation says that a program of the one before it is gone', async () => {
  const { orchestrator } = stuck([runs(CODE), says('It runs.')]);
  await orchestrator.run('Go.');
  const conversation = JSON.parse(JSON.stringify(orchestrator)) as unknown;
  const { orchestrator: restored, results } = converse([goesOn(), says('Gone.')], {
    yieldAfterMs: 1,
    conversation,
  });
  await restored.run('And?');
  expect(results(1)[0]).toMatchObject({ isError: true });
  expect(results(1)[0]?.text).toMatch(
    /^There is no program "\w{8}": .*nobody knows what it did after its last result/,
  );
});
