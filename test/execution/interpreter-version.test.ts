import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { configured, ready } from '../support/fake-runner.ts';
import { connect } from './fake-connection.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the version of an interpreter', () => {
  it('is known when the interpreter has loaded, and stays', async () => {
    const { runner, connection } = connect();
    runner.say(ready());
    connection.configure('typescript', []);
    const version = connection.interpreterVersion('typescript');
    runner.say(configured('20.19.2'));
    expect(await version).toBe('20.19.2');
    connection.configure('typescript', []);
    runner.say(configured('99.0.0'));
    expect(await connection.interpreterVersion('typescript')).toBe('20.19.2');
    expect(connection.open).toBe(true);
  });

  it.each([
    ['if the sandbox has no such interpreter', () => configured(null)],
    ['if the sandbox ends first', undefined],
  ])('is unknown %s', async (_, answer) => {
    const { runner, connection } = connect();
    connection.configure('typescript', []);
    const version = connection.interpreterVersion('typescript');
    if (answer === undefined) runner.end();
    else runner.say(answer());
    expect(await version).toBeUndefined();
  });

  it('is unknown if it is not told within the time limit of a start', async () => {
    const { connection } = connect({ startTimeoutMs: 1000 });
    connection.configure('typescript', []);
    const version = connection.interpreterVersion('typescript');
    await vi.advanceTimersByTimeAsync(1000);
    expect(await version).toBeUndefined();
  });

  it('is not taken from the answer to an earlier host', async () => {
    const { runner, connection } = connect();
    void connection.attach(1000).catch(() => {});
    runner.say(configured('18.0.0', 'javascript'));
    connection.configure('typescript', []);
    runner.say(configured('20.19.2'));
    expect(await connection.interpreterVersion('typescript')).toBe('20.19.2');
    expect(connection.open).toBe(true);
  });
});
