import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { ProgrammaticToolOrchestrator } from '../../../src/orchestrator/orchestrator.ts';
import type { RunEvent, RunInput } from '../../../src/orchestrator/events/run-events.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';
import { MemoryStore } from '../store/stores.ts';
import { SERVICES } from '../../security/model-faults-services.ts';
import type { Answer, Part, Sent } from '../../security/model-service.ts';

const pay = {
  name: 'pay',
  description: 'Pays.',
  allowedCallers: ['code', 'direct'] as const,
  run: () => 'paid',
};

// One for all conversations, each with a session of its own while it lasts.
const executor = new SandboxExecutor({
  provider: unisolatedLocalProvider(),
  tools: new ToolRegistry([pay]),
  pool: { minReady: 2 },
});
afterAll(async () => executor.close());

const part: fc.Arbitrary<Part> = fc.oneof(
  fc.constant({ thinking: 'Hm.' }),
  fc.record({ serverTool: fc.constantFrom('s1', 's2'), hasResult: fc.boolean() }),
  { weight: 2, arbitrary: fc.constantFrom('Let me see.', ' ', '').map((text) => ({ text })) },
  fc.record({
    id: fc.constantFrom('a', 'b', 'c', ''),
    name: fc.constantFrom('pay', 'execute_code', 'nothing_of_this_name'),
    json: fc.constantFrom(
      '{}',
      '{"code":"print(await pay())"}',
      '{"code":"while True: pass"}',
      '{"co',
    ),
  }),
);

const answer: fc.Arbitrary<Answer> = fc
  .record({
    parts: fc.array(part, { maxLength: 4 }),
    stop: fc.constantFrom('end' as const, 'tool', 'tool', 'length', 'refusal', 'pause', 'pause'),
    cut: fc.option(
      fc.record({ bytes: fc.nat(600), ending: fc.constantFrom('cut' as const, 'end') }),
    ),
  })
  .map(({ parts, stop, cut }) => ({ parts: unlikeServerTools(parts), stop, ...cut }));

/** A service gives each use of its tools an id of its own. */
function unlikeServerTools(parts: readonly Part[]): readonly Part[] {
  return parts.map((one) =>
    'serverTool' in one ? { ...one, serverTool: `${one.serverTool}-${serverTools++}` } : one,
  );
}
let serverTools = 0;

const PNG = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64');
const IMAGE = { type: 'image', mediaType: 'image/png', data: PNG } as const;

/** How the conversation is held. */
const circumstances = fc.record({
  abortAtEvent: fc.nat(30),
  hasImage: fc.boolean(),
  hasStore: fc.boolean(),
  /** Each answer takes 30. */
  maxTotalTokens: fc.constantFrom(30, 60, 1_000_000, 1_000_000),
});

/** What is wrong with the messages of a request: services refuse them for it. */
function problemsOf(messages: readonly Sent[]): string[] {
  const problems: string[] = [];
  const served = new Set(messages.flatMap(({ serverResults = [] }) => serverResults));
  const unserved: string[] = [];
  let open: string[] = [];
  let previous: unknown;
  for (const { role, calls, results, texts, serverTools: uses = [] } of messages) {
    if (role === 'assistant') {
      if (open.length > 0) problems.push(`calls without results: ${open.join(', ')}`);
      if (previous === undefined) problems.push('the assistant speaks first');
      if (previous === 'assistant') problems.push('two answers after each other');
      open = [...calls];
    }
    if (role === 'user' && previous === 'user') problems.push('two requests after each other');
    for (const { id } of results) {
      if (!open.includes(id)) problems.push(`a result without its call: ${id}`);
      open = open.filter((one) => one !== id);
    }
    if (role === 'user' && texts.length > 0 && unserved.length > 0) {
      problems.push(`no results of the service's own tools: ${unserved.join(', ')}`);
    }
    unserved.push(...uses.filter((id) => !served.has(id)));
    if (role === 'user' && texts.length > 0 && open.length > 0) {
      problems.push(`text before the results of ${open.join(', ')}`);
    }
    const isEmpty = calls.length + results.length + texts.length + uses.length === 0;
    if (isEmpty) problems.push('an empty message');
    previous = role;
  }
  return problems;
}

describe.each(SERVICES)('wherever a run with $name is cut', (service) => {
  it('the next run sends a conversation that the service takes', async () => {
    const property = fc.asyncProperty(
      fc.array(answer, { minLength: 1, maxLength: 3 }),
      circumstances,
      async (answers, { abortAtEvent, hasImage, hasStore, maxTotalTokens }) => {
        const replies: Answer[] = [...answers];
        await using running = await service.start(replies);
        const { model, requests } = running;
        const store = hasStore ? { store: new MemoryStore(), sessionKey: randomUUID() } : {};
        const settings = {
          model,
          executor,
          ...store,
          maxTurns: 3,
          programTimeoutMs: 200,
          // A call that is made again would hide the cut.
          maxRetries: 0,
        };
        await using orchestrator = new ProgrammaticToolOrchestrator(settings);
        const stop = new AbortController();
        let events = 0;
        const onEvent = (_event: RunEvent): void => {
          events += 1;
          if (events === abortAtEvent) stop.abort();
        };
        const { signal } = stop;
        const input: RunInput = hasImage ? [IMAGE, { type: 'text', text: 'Go.' }] : 'Go.';
        const limited = { signal, onEvent, maxTotalTokens };
        await orchestrator.run(input, limited).catch(() => undefined);
        const done: Answer = { parts: [{ text: 'Done.' }], stop: 'end' };
        replies.length = requests.length;
        replies.push(done);
        // Another process would have it from the store.
        await using another = new ProgrammaticToolOrchestrator(settings);
        const later = hasStore ? another : orchestrator;
        expect((await later.run('Go on.')).text).toBe('Done.');
        const sent = service.sent(requests.at(-1)?.body);
        expect(problemsOf(sent)).toEqual([]);
        expect(sent.at(-1)?.texts.join('\n')).toMatch(/Go on\.$/);
      },
    );
    await fc.assert(property, { numRuns: 40 });
  });
});
