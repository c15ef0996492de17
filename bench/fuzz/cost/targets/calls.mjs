// The handling of tool calls other than the validation of arguments: policy, approval, audit log,
// terminal.

import { RunView } from '../../../../dist/cli/view/run-view.js';
import { colorsFor } from '../../../../dist/cli/terminal/terminal.js';
import { defineTool } from '../../../../dist/index.js';
import { Chain, readLine } from '../../../../dist/audit/chain.js';
import { AuditQueue } from '../../../../dist/audit/queue.js';
import { recordOf } from '../../../../dist/audit/record.js';
import { ApprovalGrants } from '../../../../dist/tools/policy/grants/approval-grants.js';
import { EqualCalls } from '../../../../dist/calls/limits/equal-calls.js';
import { WaitedFor } from '../../../../dist/calls/waited-for.js';
import { CallPattern } from '../../../../dist/orchestrator/hints/call-pattern.js';
import { canonicalJson } from '../../../../dist/shared/json/canonical-json.js';
import { PolicyGate } from '../../../../dist/tools/policy/policy-gate.js';
import { text } from '../shapes.mjs';
import { PLAIN_TEXT } from '../texts.mjs';
import { argumentShapes } from '../values.mjs';
import { canArrive } from './frames.mjs';

const anything = { type: 'object', properties: { text: { type: 'string' } } };
const TOOL = defineTool({
  name: 'target',
  description: 'A tool.',
  inputSchema: anything,
  run() {},
});
const { shapes } = argumentShapes(anything, () => true);
const SHAPES = [
  ...shapes,
  ...[text('\u007f'), text('é', '\u202e'), text('\u001b[0m'), text('\ud800')].map((key) => ({
    entry: key,
    key,
  })),
];
const HARMLESS = { object: [['text', PLAIN_TEXT]] };

function target(name, of, run) {
  const made = { shapes: SHAPES, harmless: HARMLESS, run, isText: false, canArrive };
  return { name, of, make: () => made };
}

const CALL = {
  toolName: 'target',
  caller: 'code',
  callId: '1',
  sessionId: '1',
  labels: {},
  annotations: {},
};

const grants = new ApprovalGrants();
const gate = new PolicyGate({
  grants,
  rules: [
    { tool: 'none:*', action: 'deny' },
    { tool: 'target', action: 'ask', reason: 'look first' },
  ],
  approver: async (request) => ({
    approved: true,
    arguments: request.arguments,
    grant: { calls: 1 },
  }),
});

export const CALL_TARGETS = [
  target(
    'call: policy and approval',
    'tools/policy, tools/policy-gate, tools/approval, tools/policy/grants, calls/waited-for',
    async (input) => {
      const calls = gate.callGate({ program: {}, runId: '1', sessionId: '1', endsRun: true });
      const request = {
        validateEdited: (edited) => TOOL.validateInput(edited),
        call: { ...CALL, arguments: input },
        sent: input,
        onDecision() {},
      };
      const { signal } = new AbortController();
      const needed = calls.judge(request);
      const waiter = new WaitedFor({ signal, callId: CALL.callId });
      await calls.ask(request, needed, waiter);
      waiter.end();
      // The grant covers it now.
      calls.useGrant(request, needed);
      calls.end();
    },
  ),
  target('call: equal arguments', 'calls/limits/*, shared/json/canonical-json', (input) => {
    new EqualCalls().count('target', canonicalJson(input));
  }),
  target('call: values of arguments and results', 'orchestrator/hints/*', async (input) => {
    const argumentsText = JSON.stringify(input);
    const call = { ...CALL, argumentsText };
    const log = new CallPattern().logWith({ async started() {}, async ended() {} });
    await log.started(call);
    await log.ended(call, { ok: true, result: { text: argumentsText } });
  }),
  target('call: lines of the audit log', 'audit/*', (input) => {
    const chain = new Chain(undefined);
    const queue = new AuditQueue(2 ** 23, () => ({}));
    const name = firstKey(input);
    const call = { ...CALL, toolName: name, callId: name, arguments: input };
    const entries = [
      { type: 'tool-call-ended', ...call, outcome: name, durationMs: 1, resultBytes: 1 },
      { type: 'tool-call-denied', ...call, reason: name },
      { type: 'program-started', sessionId: '1', programId: '1', language: 'python', code: name },
    ];
    for (const includeText of [true, false]) {
      for (const entry of entries) queue.add(recordOf(entry, new Date(0), { includeText }));
    }
    for (let next = queue.take(); next !== undefined; next = queue.take()) {
      readLine(chain.seal(next.fields).subarray(0, -1), undefined);
    }
  }),
  target('call: line on a terminal', 'cli/view/describe-call, cli/view/run-view', (input) => {
    const view = new RunView({
      write() {},
      colors: colorsFor({ isTTY: true }, {}),
      columns: () => 80,
    });
    const message = firstKey(input);
    view.show({ type: 'tool-call-started', ...CALL, toolName: message, arguments: input });
    const error = { type: 'InvalidArguments', message };
    view.show({ type: 'tool-call-ended', ...CALL, toolName: message, durationMs: 1, error });
  }),
];

function firstKey(input) {
  const [key = 'target'] = typeof input === 'object' && input !== null ? Object.keys(input) : [];
  return key;
}
