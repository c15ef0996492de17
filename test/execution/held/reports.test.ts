import { describe, expect, it } from 'vitest';
import type { RunnerMessage } from '../../../src/protocol/messages.ts';
import { outcome, printed } from '../../support/fake-runner.ts';
import { connect, request } from '../fake-connection.ts';
import { startHeld } from './held-run.ts';

function report(executionId = '1'): RunnerMessage {
  return { kind: 'report', execution_id: executionId };
}

it('a report is told below the output that came before it', async () => {
  const events: unknown[] = [];
  const { runner, held } = startHeld({
    tellsReports: true,
    onEvent: (event) => void events.push(event),
  });
  expect(runner.received.at(-1)).toMatchObject({ kind: 'execute', tell_reports: true });
  runner.say(printed('half\n'), report(), printed('all\n'), outcome());
  expect(await held.ended).toMatchObject({ status: 'ok', stdout: 'half\nall\n' });
  const output = { type: 'output-delta', stream: 'stdout' };
  expect(events).toEqual([
    { ...output, text: 'half\n' },
    { type: 'program-reported' },
    { ...output, text: 'all\n' },
  ]);
});

describe('a hostile runner that speaks of reports', () => {
  it.each([
    ['without being asked', false, '1'],
    ['of a program that it was never given', true, '7'],
  ])('%s loses the sandbox', async (_, tellsReports, executionId) => {
    const { runner, connection } = connect();
    const running = connection.execute(request({ tellsReports }));
    expect('tell_reports' in (runner.received.at(-1) ?? {})).toBe(tellsReports);
    runner.say(report(executionId));
    expect(await running).toMatchObject({ status: 'protocol-error', sessionOpen: false });
    expect(runner.destroyed).toBe(true);
  });

  it('of a program that has ended is ignored', async () => {
    const { runner, held } = startHeld({ tellsReports: true });
    runner.say(outcome(), report());
    expect(await held.ended).toMatchObject({ status: 'ok' });
    expect(runner.destroyed).toBe(false);
  });

  it('without end loses the sandbox when it has sent as much as a program may', async () => {
    const { runner, held } = startHeld({ tellsReports: true }, { receivedBytes: 1000 });
    for (let said = 0; said < 1000 && !runner.destroyed; said += 1) runner.say(report());
    expect(runner.destroyed).toBe(true);
    expect(await held.ended).toMatchObject({ status: 'budget-exceeded' });
  });
});
