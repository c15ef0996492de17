// Whole runs: a sandbox sends frames, and all parts of the host handle them: the session, the calls
// with their schemas and policy, the audit log, the events and the terminal.

import { Writable } from 'node:stream';
import { z } from 'zod';
import { RunView } from '../../../../dist/cli/view/run-view.js';
import { colorsFor } from '../../../../dist/cli/terminal/terminal.js';
import { SandboxExecutor, ToolRegistry } from '../../../../dist/index.js';
import { CallRecord } from '../../../../dist/orchestrator/call-record.js';
import { describeResult } from '../../../../dist/orchestrator/code/describe-result.js';
import { StreamTransport } from '../../../../dist/protocol/stream-transport.js';
import { Chain } from '../../../../dist/audit/chain.js';
import { recordOf } from '../../../../dist/audit/record.js';
import { text } from '../shapes.mjs';
import { FRAME_PIECES, STDERR_SHAPES, STDOUT_SHAPES } from './frames.mjs';

const READY = '__PTC_READY__{"protocol":1,"language":"python","version":"3.13"}__PTC_END_READY__\n';
const END =
  '__PTC_OUTPUT__{"execution_id":"1","success":true,"value":null,"error":null,"exit_code":0,"interpreter_end":null,"outputs":null}__PTC_END_OUTPUT__\n';
const HARMLESS = text(
  'plain words ',
  '__PTC_OUTPUT_DELTA__{"execution_id":"1","stream":"stdout","omitted_bytes":0,"text":"',
  '"}__PTC_END_OUTPUT_DELTA__\n',
);
const PART_BYTES = 8192;

const SCHEMAS = {
  echo: z.object({}).catchall(z.unknown()),
  strict: z.object({ value: z.string() }).strict(),
  denied: z.object({}),
  asked: z.object({}),
};

const POLICY = {
  rules: [
    { tool: 'denied', action: 'deny', reason: 'not today' },
    { tool: 'asked', action: 'ask', reason: 'look first' },
  ],
  approver: async () => ({ approved: false, reason: 'no' }),
};

function makeTarget(stream, shapes) {
  const chain = new Chain(undefined);
  const audit = {
    record: (entry) => chain.seal(recordOf(entry, new Date(0), { includeText: true })),
    ready: () => undefined,
  };
  const tools = new ToolRegistry();
  for (const [name, inputSchema] of Object.entries(SCHEMAS)) {
    tools.register({ name, description: 'A tool.', inputSchema, run: (input) => input });
  }
  return () => ({
    shapes,
    harmless: HARMLESS,
    isText: true,
    clock: 'turn',
    pieces: FRAME_PIECES,
    async run(input) {
      const sandbox = providerOf(stream, Buffer.from(input));
      const view = new RunView({
        write() {},
        colors: colorsFor({ isTTY: true }, {}),
        columns: () => 80,
      });
      const executor = new SandboxExecutor({ tools, provider: sandbox, audit, policy: POLICY });
      const result = await executor.execute('pass', { onEvent: (event) => show(view, event) });
      view.show({ type: 'program-ended', toolUseId: '1', result, error: undefined });
      const run = { result, stateWasLost: false, inputProblems: [] };
      await describeResult(run, new CallRecord(), 50_000, async () => ({
        problem: 'it is not kept',
      }));
      await executor.close();
    },
  });
}

function show(view, event) {
  if (event.type === 'output-delta') view.show({ ...event, toolUseId: '1' });
  else if (!event.type.startsWith('approval-')) view.show({ ...event, caller: 'code' });
}

/** A provider whose sandbox sends these bytes as soon as it gets a program. */
function providerOf(stream, bytes) {
  return {
    name: 'sending',
    languages: ['python'],
    probe: async () => ({ usable: true, description: 'sends given bytes' }),
    close: async () => {},
    async create() {
      const stdin = new Writable({
        write(chunk, _encoding, done) {
          if (String(chunk).includes('__PTC_EXECUTE__')) setImmediate(() => send(transport));
          done();
        },
      });
      const transport = new StreamTransport({ stdin, destroy() {} });
      transport.receive('stdout', Buffer.from(READY));
      return { id: '1', transport, close: async () => transport.end(undefined) };
    },
  };

  function send(transport) {
    for (let place = 0; place < bytes.length; place += PART_BYTES) {
      transport.receive(stream, bytes.subarray(place, place + PART_BYTES));
    }
    if (stream === 'stdout') transport.receive('stdout', Buffer.from('\n'));
    transport.receive('stdout', Buffer.from(END));
  }
}

const OF = 'sessions, execution, tools, audit, cli/view, orchestrator/describe-result';

export const RUN_TARGETS = [
  { name: 'run: calls', of: OF, make: makeTarget('stderr', STDERR_SHAPES), share: 3 },
  { name: 'run: output', of: OF, make: makeTarget('stdout', STDOUT_SHAPES), share: 3 },
];
