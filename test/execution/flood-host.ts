// A host whose program makes 80 calls that all have to wait, each with as many values as a call may have. Parsed, these
// calls take 50 MB; as frames, 3. The argument says what they wait for. Prints what came of them. The values are short lists:
// objects with keys of their own take twice the memory, but five times the processor time.
import { writeSync } from 'node:fs';
import type { ExecutionEvent, ExecutionResult } from '../../src/execution/execution.ts';
import type { HostMessage } from '../../src/protocol/messages.ts';
import type { AuditEntry } from '../../src/audit/entry.ts';
import { PolicyGate, type PolicyOptions } from '../../src/tools/policy/policy-gate.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { eventsOf } from '../../src/orchestrator/events/event-stream.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { outcome } from '../support/fake-runner.ts';
import { connect, request } from './fake-connection.ts';

const [waitsFor = ''] = process.argv.slice(2);
const CALLS = 80;
const LISTS = 9990;

const opened = createDeferred<void>();
const answered = createDeferred<void>();
const stop = new AbortController();
let isOpen = false;
const open = (): void => {
  isOpen = true;
  opened.resolve();
};

const got: number[] = [];
const tool = defineTool({
  name: 'act',
  description: 'Acts.',
  inputSchema: { type: 'object', properties: { list: { type: 'array' } } },
  run: async ({ list }: { list: unknown[] }) => {
    got.push(list.length);
    if (waitsFor === 'tools') await opened.promise;
  },
});

const policy: PolicyOptions = {
  rules: [{ tool: 'act', action: 'ask' }],
  approver: async () => {
    await opened.promise;
    return { approved: true };
  },
};

const entries: AuditEntry[] = [];
const audit = {
  record: (entry: AuditEntry) => void entries.push(entry),
  ready: () => (isOpen ? undefined : opened.promise),
};

// Two calls at a time are parsed. If they were as many as usual, little of the heap would be free, and V8 would spend most of
// the time looking for garbage.
const { runner, connection } = connect({ budgets: { concurrentToolCalls: 2 } });
const tools = new ToolRegistry([tool]);
const execute = (onEvent?: (event: ExecutionEvent) => unknown): Promise<ExecutionResult> =>
  connection.execute(
    request({
      tools: tools.snapshot(),
      timeoutMs: 600_000,
      signal: stop.signal,
      onEvent,
      ...(waitsFor === 'approvals' && { policy: new PolicyGate(policy) }),
      ...(waitsFor === 'audit' && { audit }),
    }),
  );

/** A reader of a stream that reads one event, and the others when all may go on. */
async function executeForReader(): Promise<ExecutionResult> {
  const result = createDeferred<ExecutionResult>();
  const events = eventsOf<ExecutionEvent>(async (onEvent) => {
    result.resolve(await execute(onEvent));
  }, undefined);
  while ((await events.next()).done !== true) await opened.promise;
  return result.promise;
}

const running =
  waitsFor === 'reader'
    ? executeForReader()
    : execute(waitsFor === 'listener' ? async () => opened.promise : undefined);
let answers = 0;
runner.onMessage = (message: HostMessage) => {
  if (message.kind === 'tool-result' && (answers += 1) === CALLS) answered.resolve();
};
const lists = Array.from({ length: LISTS }, () => '[1]').join();
for (let call = 0; call < CALLS; call += 1) {
  const fields = `"execution_id":"1","call_id":"${call}","tool_name":"act"`;
  const json = `{${fields},"arguments":{"list":[${lists}]}}`;
  const line = Buffer.from(`__PTC_TOOL_CALL__${json}__PTC_END_CALL__`);
  runner.sayLine(line);
  await new Promise((resolve) => setImmediate(resolve));
}
// A run that ends leaves its entries to the log, which has no room for them yet.
if (waitsFor === 'audit') stop.abort();
else open();
await answered.promise;
runner.say(outcome({ success: waitsFor !== 'audit' }));
open();
const { status } = await running;
const last = entries.findLast(({ type }) => type === 'tool-call-ended');
const recorded = last?.type === 'tool-call-ended' && Object.keys(Object(last.arguments));
writeSync(1, `${JSON.stringify({ status, answers, ran: got.length, recorded })}\n`);
