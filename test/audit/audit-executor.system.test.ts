import { createHash } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { scriptedModel } from '../../src/models/scripted.ts';
import { ProgrammaticToolOrchestrator } from '../../src/orchestrator/orchestrator.ts';
import type { SandboxExecutorOptions } from '../../src/sessions/options/executor-options.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import type { AuditLog } from '../../src/audit/entry.ts';
import type { Approval } from '../../src/tools/policy/approval.ts';
import type { PolicyOptions } from '../../src/tools/policy/policy-gate.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { runs, says, uses } from '../orchestrator/support.ts';
import { describeWithEngine } from '../support/engine.ts';
import { open, readLog, temporaryPath, verify, type Line } from './support.ts';

const APPROVALS: Readonly<Record<string, Approval>> = {
  plain: { approved: true },
  much: { approved: true, arguments: { what: 'less' } },
  bad: { approved: false, reason: 'not today' },
};

const POLICY: PolicyOptions = {
  rules: [
    {
      tool: 'echo',
      when: ({ input }) => whatOf(input) === 'never',
      action: 'deny',
      reason: 'never',
    },
    { tool: 'pay', action: 'ask', reason: 'money' },
  ],
  approver: async ({ arguments: given }) => APPROVALS[whatOf(given)] ?? new Promise(() => {}),
  approvalTimeoutMs: 300,
};

function makeTools(): ToolRegistry {
  const inputSchema = { type: 'object', properties: { what: { type: 'string' } } };
  const run = (input: unknown): unknown => input;
  const callers = { allowedCallers: ['code', 'direct'] as const };
  const fail = (): never => {
    throw new Error('out of order');
  };
  return new ToolRegistry([
    { name: 'echo', description: 'Echoes.', inputSchema, run, ...callers },
    { name: 'pay', description: 'Pays.', inputSchema, run },
    { name: 'fail', description: 'Fails.', run: fail },
  ]);
}

interface Audited {
  readonly executor: SandboxExecutor;
  /** Closes both, checks the chain and gives the lines between its opening and closing. */
  readonly lines: () => Promise<Line[]>;
}

async function openAudited(options: SandboxExecutorOptions = {}): Promise<Audited> {
  const path = await temporaryPath();
  const audit = await open({ path });
  const tools = makeTools();
  const executor = new SandboxExecutor({ provider: 'docker', tools, audit, ...options });
  onTestFinished(() => executor.close());
  return { executor, lines: async () => finish(executor, audit, path) };
}

async function finish(
  user: { close(): Promise<void> },
  audit: AuditLog,
  path: string,
): Promise<Line[]> {
  await user.close();
  await audit.close();
  expect(await verify(path)).toMatchObject({ problem: undefined, remarks: [] });
  return (await readLog(path)).slice(1, -1);
}

describeWithEngine('the audit log of an executor', () => {
  it('has a line for the session, the run and each call, and their ends [host/audit-lines]', async () => {
    const { executor, lines } = await openAudited();
    const code =
      'print(await echo(what="hi"))\ntry:\n  await fail()\nexcept ToolError: print("caught")';
    const result = await executor.execute(code, { labels: { user: 'u-17' } });
    expect(result).toMatchObject({ status: 'ok', toolCalls: 2 });
    const { sessionId } = result;
    const run = { sessionId, programId: '1' };
    const recorded = await lines();
    expect(recorded).toMatchObject([
      { type: 'session-opened', sessionId, provider: 'docker', labels: { user: 'u-17' } },
      {
        type: 'program-started',
        ...run,
        language: 'python',
        codeBytes: code.length,
        codeSha256: sha256(code),
        timeoutMs: 60_000,
      },
      {
        type: 'tool-call-ended',
        ...run,
        toolName: 'echo',
        caller: 'code',
        outcome: 'ok',
        argumentsSha256: sha256('{"what":"hi"}'),
        argumentsBytes: 13,
        resultBytes: 13,
      },
      { type: 'tool-call-ended', ...run, toolName: 'fail', outcome: 'Failed', resultBytes: 0 },
      {
        type: 'program-ended',
        ...run,
        status: 'ok',
        toolCalls: 2,
        outputBytes: Buffer.byteLength(result.stdout),
        fileNames: [],
        fileBytes: 0,
      },
      { type: 'session-closed', sessionId, reason: 'closed' },
    ]);
    expect(recorded[2]?.['callId']).not.toBe(recorded[3]?.['callId']);
    expect(recorded[4]?.['durationMs']).toBeCloseTo(result.durationMs, 2);
    expect(JSON.stringify(recorded)).not.toContain('"hi"');
  });

  it('tells the runs of a session apart, and how each and the session ended', async () => {
    const { executor, lines } = await openAudited();
    const session = await executor.acquire();
    await session.execute('x = 1');
    await session.execute('1 / 0');
    await session.execute('while True: pass', { timeoutMs: 300 });
    await session.destroy();
    const recorded = await lines();
    expect(recorded.map(({ type, programId, status }) => [type, programId, status])).toEqual([
      ['session-opened', undefined, undefined],
      ['program-started', '1', undefined],
      ['program-ended', '1', 'ok'],
      ['program-started', '2', undefined],
      ['program-ended', '2', 'error'],
      ['program-started', '3', undefined],
      ['program-ended', '3', 'timeout'],
      ['session-closed', undefined, undefined],
    ]);
  });

  it('has what the policy denied, and what people were asked and decided [host/audit-lines]', async () => {
    const { executor, lines } = await openAudited({ policy: POLICY });
    const code = `
for call in [lambda: echo(what="never"), lambda: pay(what="plain"), lambda: pay(what="much"),
             lambda: pay(what="bad"), lambda: pay(what="silence")]:
  try: print(await call())
  except ToolError as error: print(error)`;
    await executor.execute(code);
    const decisions = (await lines()).filter(({ type }) =>
      /^(?:tool-call-(?:denied|ended)|approval-(?:requested|decided))$/.test(String(type)),
    );
    expect(
      decisions.map(({ type, decision, outcome, reason }) => [type, decision ?? outcome, reason]),
    ).toEqual([
      ['tool-call-denied', undefined, 'never'],
      ['tool-call-ended', 'Denied', undefined],
      ['approval-requested', undefined, 'money'],
      ['approval-decided', 'approved', 'money'],
      ['tool-call-ended', 'ok', undefined],
      ['approval-requested', undefined, 'money'],
      ['approval-decided', 'edited', 'money'],
      ['tool-call-ended', 'ok', undefined],
      ['approval-requested', undefined, 'money'],
      ['approval-decided', 'rejected', 'not today'],
      ['tool-call-ended', 'Rejected', undefined],
      ['approval-requested', undefined, 'money'],
      ['approval-decided', 'expired', expect.stringContaining('300 ms')],
      ['tool-call-ended', 'Rejected', undefined],
    ]);
    expect(decisions.slice(6, 8)).toMatchObject([
      { argumentsSha256: sha256('{"what":"less"}') },
      { argumentsSha256: sha256('{"what":"less"}') },
    ]);
    for (const { programId } of decisions) expect(programId).toBe('1');
  });

  it('has the direct calls of a conversation, with its labels', async () => {
    const path = await temporaryPath();
    const audit = await open({ path });
    const orchestrator = new ProgrammaticToolOrchestrator({
      executor: { provider: 'docker' },
      model: scriptedModel([
        [uses('echo', { what: 'hi' }), uses('echo', { what: 'never' }, 'second')],
        runs('print(await echo(what="from code"))'),
        says('done'),
      ]),
      tools: makeTools(),
      policy: POLICY,
      labels: { user: 'u-17' },
      audit,
    });
    onTestFinished(() => orchestrator.close());
    await orchestrator.run('Go.');
    const recorded = await finish(orchestrator, audit, path);
    const direct = { caller: 'direct', toolName: 'echo', labels: { user: 'u-17' } };
    const calls = recorded.filter(({ callId }) => callId !== undefined);
    expect(calls).toHaveLength(4);
    expect(calls).toContainEqual(
      expect.objectContaining({
        type: 'tool-call-ended',
        callId: 'echo',
        outcome: 'ok',
        ...direct,
      }),
    );
    expect(calls).toContainEqual(
      expect.objectContaining({
        type: 'tool-call-denied',
        callId: 'second',
        reason: 'never',
        ...direct,
      }),
    );
    expect(calls).toContainEqual(
      expect.objectContaining({ callId: 'second', outcome: 'Denied', ...direct }),
    );
    expect(calls[3]).toMatchObject({ caller: 'code', outcome: 'ok', programId: '1' });
  });

  it('is refused where it is none, such as a promise of one', async () => {
    const audit = open({ path: await temporaryPath() });
    const make = (): unknown => new SandboxExecutor({ audit: audit as never });
    expect(make).toThrow('await openAuditLog');
    await audit;
  });
});

function whatOf(given: unknown): string {
  return String((given as { readonly what?: unknown }).what);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
