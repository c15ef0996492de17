import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Approval } from '../../src/tools/policy/approval.ts';
import type { ApprovalRequest } from '../../src/tools/policy/approval-request.ts';
import type {
  ApprovalBatch,
  BatchedApproval,
  BatchDecision,
} from '../../src/tools/policy/batches/approval-batch.ts';
import type { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import type { ToolDefinition } from '../../src/tools/define-tool.ts';
import type { PolicyOptions } from '../../src/tools/policy/policy-gate.ts';
import { JSON_SCHEMA_TOOLS, STRANGE_RESULTS } from './host-tools.ts';
import { ZOD_TOOLS } from './host-zod-tools.ts';

/** As long as a quick approver takes: long enough that requests meet. */
const DECISION_MS = 5;

/** What hostile programs may call, and what they must not reach. It counts who does. */
export class Lure {
  /** Calls of the tool that code may not call, and connections to the host's port. */
  readonly reached: { calls: number; connections: number } = { calls: 0, connections: 0 };
  readonly #server: Server = createServer((socket) => {
    this.reached.connections += 1;
    socket.end('reached');
  });

  #executor: SandboxExecutor | undefined;

  /** Opens a port of the host's own. The executor is for programs that run beside the one that asks for them. */
  async open(executor?: SandboxExecutor): Promise<void> {
    this.#executor = executor;
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Requests that the approver has before it, and the most that it had at a time. */
  readonly #requests: Set<ApprovalRequest> = new Set();
  #mostRequests = 0;
  /** How many calls each batch had that the approver got since a program asked. */
  readonly #batches: number[] = [];
  /** How many calls were made when their program had ended, since somebody set it to 0. */
  madeLater = 0;

  /** What some of the tools need beside a call. */
  readonly policy: PolicyOptions = {
    rules: [
      { tool: 'denied', action: 'deny', reason: 'it is never wanted' },
      {
        tool: 'judged',
        when: ({ input }) => JSON.stringify(input).includes('secret'),
        action: 'deny',
        reason: 'it names a secret',
      },
      { tool: ['asked', 'later'], action: 'ask', reason: 'somebody must see it' },
    ],
    approver: async (request, { signal }) => this.#approve(request, signal),
  };

  /** The policy if the approver decides calls together. */
  readonly policyOfBatches: PolicyOptions = {
    rules: [{ tool: ['asked', 'later'], action: 'ask', group: 'program' }],
    approver: {
      ask: async (request, { signal }) => this.#approve(request, signal),
      askBatch: async (batch) => this.#approveTogether(batch),
    },
  };

  async #approve(request: ApprovalRequest, signal: AbortSignal): Promise<Approval> {
    this.#requests.add(request);
    this.#mostRequests = Math.max(this.#mostRequests, this.#requests.size);
    signal.addEventListener('abort', () => this.#requests.delete(request));
    await delay(DECISION_MS);
    this.#requests.delete(request);
    return decide(request);
  }

  async #approveTogether({ requests }: ApprovalBatch): Promise<BatchDecision> {
    this.#batches.push(requests.length);
    await delay(DECISION_MS);
    return { calls: Object.fromEntries(requests.map((request) => [request.id, decide(request)])) };
  }

  async close(): Promise<void> {
    this.#server.close();
    await once(this.#server, 'close');
  }

  readonly tools: readonly ToolDefinition[] = [
    {
      name: 'echo',
      description: 'Gives back what it gets.',
      inputSchema: { type: 'object', properties: { value: {} } },
      run: (input) => (input as { value?: unknown }).value ?? null,
    },
    {
      name: 'never_answer',
      description: 'Answers only when it is told to stop.',
      run: async (_input, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve('stopped'));
        }),
    },
    {
      name: 'host_port',
      description: 'The number of a port on which the host listens.',
      run: () => (this.#server.address() as AddressInfo).port,
    },
    {
      name: 'run_beside',
      description:
        'What a program prints in another session, while the one that asks for it waits.',
      inputSchema: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
      run: async (input) => {
        const { code } = input as { code: string };
        return (await this.#executor?.execute(code))?.stdout;
      },
    },
    {
      name: 'forbidden',
      description: 'Not for code.',
      allowedCallers: ['direct'],
      run: () => {
        this.reached.calls += 1;
      },
    },
    {
      name: 'fail_with',
      description: 'Fails with a message.',
      inputSchema: { type: 'object', properties: { message: { type: 'string' } } },
      run: (input) => {
        throw new Error((input as { message: string }).message);
      },
    },
    {
      name: 'repeat_text',
      description: 'Gives back a text so many times.',
      inputSchema: {
        type: 'object',
        properties: { text: { type: 'string' }, times: { type: 'integer', maximum: 1_000_000 } },
        required: ['text', 'times'],
      },
      run: (input) => {
        const { text, times } = input as { text: string; times: number };
        return text.repeat(times);
      },
    },
    ...['denied', 'judged', 'asked'].map((name) => ({
      name,
      description: 'Gives back what it gets, if the policy lets it.',
      inputSchema: { type: 'object', properties: { value: {} } },
      run: (input: unknown) => (input as { value?: unknown }).value ?? null,
    })),
    {
      name: 'rationed',
      description: 'Can be called a few times.',
      inputSchema: { type: 'object', properties: { value: {} } },
      maxCalls: { program: 100 },
      run: () => 'taken',
    },
    {
      name: 'repeated',
      description: 'Can be called a few times with equal arguments.',
      inputSchema: { type: 'object', properties: { value: {} } },
      repeatedCalls: { limit: 3, action: 'deny' },
      run: () => 'taken',
    },
    {
      name: 'most_requests',
      description: 'How many calls have waited for an approver at a time.',
      run: () => this.#mostRequests,
    },
    {
      name: 'batches',
      description: 'How many calls each batch had that the approver got since this was asked.',
      run: () => this.#batches.splice(0),
    },
    {
      name: 'later',
      description: 'Is made when its program has ended.',
      inputSchema: { type: 'object', properties: { value: {} } },
      whenAsked: 'defer',
      run: () => {
        this.madeLater += 1;
        return 'made';
      },
    },
    STRANGE_RESULTS,
    ...JSON_SCHEMA_TOOLS,
    ...ZOD_TOOLS,
  ];
}

/** Rejects the value `no`, and nothing else. */
function decide({ arguments: sent }: Pick<ApprovalRequest, 'arguments'>): BatchedApproval {
  return (sent as { value?: unknown }).value === 'no'
    ? { approved: false, reason: 'it says no' }
    : { approved: true };
}
