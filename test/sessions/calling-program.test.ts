import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../src/audit/entry.ts';
import type { LanguageName } from '../../src/protocol/messages.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { codeTool } from '../../src/orchestrator/code/code-tool.ts';
import { ProgrammaticToolOrchestrator } from '../../src/orchestrator/orchestrator.ts';
import type { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import type { ToolDefinition } from '../../src/tools/define-tool.ts';
import { ApprovalGrants } from '../../src/tools/policy/grants/approval-grants.ts';
import { runs, says } from '../orchestrator/support.ts';
import { useExecutors } from './support.ts';
import { auditLog } from '../support/audit-log.ts';

const makeExecutor = useExecutors();

type Language = Exclude<LanguageName, 'javascript'>;

/** Each makes the calls of `STEPS`, one on a line. */
const PROGRAMS: Readonly<Record<Language, string>> = {
  python: `await look()
await pay()
await pay()
try: await never()
except ToolError: pass
seen = await later()`,
  typescript: `await look();
await pay();
await pay();
await never().catch(() => {});

const seen = await later();`,
  bash: `look
pay
pay
never || true

later`,
};

/** What is told of the program: a tool, its line, and the events and audit entries of one call. */
const STEPS = [
  ['look', 1, 'tool-call-started tool-call-progressed tool-call-ended', 'tool-call-ended'],
  [
    'pay',
    2,
    'tool-call-started approval-requested approval-decided tool-call-ended',
    'approval-requested approval-decided tool-call-ended',
  ],
  [
    'pay',
    3,
    'tool-call-started approval-granted tool-call-ended',
    'approval-granted tool-call-ended',
  ],
  ['never', 4, 'tool-call-started tool-call-ended', 'tool-call-denied tool-call-ended'],
  [
    'later',
    6,
    'tool-call-started tool-call-deferred approval-requested approval-decided tool-call-ended',
    'tool-call-deferred approval-requested approval-decided tool-call-ended',
  ],
] as const;

type Told = Readonly<Record<string, unknown>>;

interface Way {
  readonly executor: SandboxExecutor;
  readonly onEvent: (event: Told) => void;
}

/** Runs a program in each way in which programs run. */
const WAYS: Readonly<Record<string, (code: string, way: Way) => Promise<unknown>>> = {
  'a session': async (code, { executor, onEvent }) =>
    executor.execute(code, { onEvent: (event) => onEvent({ ...event }) }),
  'a code tool': async (code, { executor, onEvent }) => {
    await using tool = codeTool({ executor });
    await tool.execute({ code }, { onEvent: (event) => onEvent({ ...event }) });
  },
  'a conversation': async (code, { executor, onEvent }) => {
    const model = scriptedModel([runs(code), says('Done.')]);
    await using orchestrator = new ProgrammaticToolOrchestrator({ model, executor });
    await orchestrator.run('Go.', { onEvent: (event) => onEvent({ ...event }) });
  },
};

interface Run {
  readonly events: readonly Told[];
  readonly entries: readonly Told[];
  /** What tools got as `ToolContext.runId`. */
  readonly runIds: ReadonlySet<string>;
}

async function runIn(title: string, language: Language): Promise<Run> {
  const events: Told[] = [];
  const entries: AuditEntry[] = [];
  const runIds = new Set<string>();
  const tool = (name: string): ToolDefinition => ({
    name,
    description: 'Does it.',
    run: (_input, { progress, runId }) => {
      runIds.add(runId);
      if (name === 'look') progress({ progress: 1 });
      return 1;
    },
  });
  const audit = auditLog((entry) => void entries.push(entry));
  const { executor } = makeExecutor({
    languages: [language],
    tools: [tool('look'), tool('pay'), tool('never'), { ...tool('later'), whenAsked: 'defer' }],
    policy: {
      rules: [
        { tool: 'never', action: 'deny', reason: 'no' },
        { tool: 'pay', action: 'ask' },
        { tool: 'later', action: 'ask' },
      ],
      approver: async ({ toolName }) => ({
        approved: true,
        ...(toolName === 'pay' && { grant: { calls: 1 } }),
      }),
      grants: new ApprovalGrants(),
    },
    audit,
  });
  const run = WAYS[title];
  await run?.(PROGRAMS[language], { executor, onEvent: (event) => events.push(event) });
  return { events, entries: entries.map((entry) => ({ ...entry })), runIds };
}

/** What was told of each call, as in `STEPS`. */
function callsOf(told: readonly Told[]): readonly (readonly unknown[])[] {
  const calls = new Map<unknown, Told[]>();
  for (const one of told) {
    if (one['callId'] === undefined) continue;
    calls.set(one['callId'], [...(calls.get(one['callId']) ?? []), one]);
  }
  return [...calls.values()].map((steps) => [
    steps[0]?.['toolName'],
    onlyOf(steps, 'line'),
    steps.map(({ type }) => type).join(' '),
  ]);
}

/** The value that all have in a field. */
function onlyOf(told: readonly Told[], field: string): unknown {
  const values = new Set(told.map((one) => one[field]));
  expect(values.size).toBe(1);
  return [...values][0];
}

describe.each(Object.keys(WAYS))('of a call from %s', (title) => {
  it.each<Language>(['python', 'typescript', 'bash'])(
    'each event and audit entry names the program, the run and the line, in %s',
    async (language) => {
      const { events, entries, runIds } = await runIn(title, language);
      expect(callsOf(events)).toEqual(STEPS.map(([tool, of, told]) => [tool, of, told]));
      expect(callsOf(entries)).toEqual(STEPS.map(([tool, of, , told]) => [tool, of, told]));
      const started = entries.find(({ type }) => type === 'program-started');
      for (const told of [events, entries]) {
        const ofCalls = told.filter(({ callId }) => callId !== undefined);
        expect(onlyOf(ofCalls, 'programId')).toBe(started?.['programId']);
        expect([onlyOf(ofCalls, 'runId')]).toEqual([...runIds]);
      }
      const ofProgram = entries.filter(({ type }) => String(type).startsWith('program-'));
      expect(ofProgram.map(({ type }) => type)).toEqual(['program-started', 'program-ended']);
      expect([onlyOf(ofProgram, 'runId')]).toEqual([...runIds]);
    },
  );
});

it('the events of a later program name another program, and the run that its caller names', async () => {
  const { executor } = makeExecutor({
    tools: [{ name: 'look', description: 'Looks.', run: () => 1 }],
  });
  const seen: unknown[] = [];
  await using session = await executor.acquire();
  for (const runId of ['r-1', 'r-2']) {
    await session.execute('\nawait look()', {
      runId,
      onEvent: (event) => {
        if (event.type !== 'tool-call-started') return;
        seen.push([event.programId, event.runId, event.line]);
      },
    });
  }
  expect(seen).toEqual([
    ['1', 'r-1', 2],
    ['2', 'r-2', 2],
  ]);
});
