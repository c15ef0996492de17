import { describe, expect, it } from 'vitest';
import { TerminalApprover } from '../../../src/cli/approvals/terminal-approver.ts';
import { colorsFor } from '../../../src/cli/terminal/terminal.ts';
import type {
  ApprovalBatch,
  BatchDecision,
  BatchedApproval,
  BatchedRequest,
} from '../../../src/tools/policy/batches/approval-batch.ts';

const request = (number: number, changes: Partial<BatchedRequest> = {}): BatchedRequest => ({
  id: `r${number}`,
  number,
  toolName: 'pay',
  caller: 'code',
  callId: `c${number}`,
  sessionId: 's',
  labels: {},
  annotations: {},
  arguments: { to: 'Anna', amount: number },
  reason: 'money',
  requestedAtMs: 0,
  expiresAtMs: 1,
  canGrant: true,
  line: 3,
  ...changes,
});

const PROPOSAL = { toolName: 'pay', calls: 8, fields: { to: 'Anna' } };

const batch: ApprovalBatch = {
  id: 'b',
  program: { language: 'python', code: 'pay()', purpose: undefined },
  requests: [1, 2, 3, 4].map((number) => request(number)),
  requestedAtMs: 0,
  expiresAtMs: 1,
  canGrant: true,
  proposals: [PROPOSAL],
};

interface Talk {
  readonly approver: TerminalApprover;
  readonly shown: () => string;
}

/** An approver at a terminal of 60 columns where these lines are typed. */
function terminal(...lines: readonly string[]): Talk {
  return terminalOf(60, ...lines);
}

function terminalOf(columns: number, ...lines: readonly string[]): Talk {
  let shown = '';
  const typed = [...lines];
  const approver = new TerminalApprover({
    read: async () => typed.shift(),
    write: (text) => {
      shown += text;
    },
    onAsk: () => {},
    colors: colorsFor({ isTTY: false }, {}),
    columns: () => columns,
  });
  return { approver, shown: () => shown };
}

const signal = new AbortController().signal;
const options = { signal, check: (): void => {} };
const APPROVED: BatchedApproval = { approved: true };
const REJECTED: BatchedApproval = { approved: false, reason: 'the user rejected it' };

describe('a batch at the terminal', () => {
  it('is a table of its calls, with all arguments of those that were cut', async () => {
    const { approver, shown } = terminal('y');
    const long = request(1, {
      arguments: { text: `\u001b[31m${'x'.repeat(100)}` },
      line: undefined,
    });
    await approver.askBatch({ ...batch, requests: [long, ...batch.requests.slice(1)] }, options);
    expect(shown()).toBe(`
The program waits for your decision about 4 calls: money
  #  tool  arguments                                    line
  1  pay   {"text":"\\u001b[31mxxxxxxxxxxxxxxxxxxxxxxx…
  2  pay   {"to":"Anna","amount":2}                     3
  3  pay   {"to":"Anna","amount":3}                     3
  4  pay   {"to":"Anna","amount":4}                     3
  ╭ arguments of call 1
  │ {"text":"\\u001b[31mxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
  │ xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
  │ xxxxxxx"}
  ╰

  y: approve   n: reject   1 3-5: approve only these   e 1: edit the arguments of a call
  a: approve, and 8 more calls of pay with {"to":"Anna"}
`);
  });

  it('shows what long arguments hide, and says which part is too long to show', async () => {
    const { approver, shown } = terminalOf(120, 'y');
    const hiding = request(1, { arguments: { filler: 'x'.repeat(80), to: 'attacker' } });
    const long = request(2, { arguments: { text: `${'x'.repeat(9_990)}😀${'y'.repeat(500)}` } });
    await approver.askBatch({ ...batch, requests: [hiding, long] }, options);
    expect(shown().slice(0, shown().indexOf('y: approve'))).toContain('"to":"attacker"');
    expect(shown()).toContain(
      'x\n  ╰\n  504 more characters are not shown. Type e 2 to see them.\n',
    );
    expect(shown()).not.toMatch(/yy|\uFFFD/);
  });

  it('offers a grant for each proposal, with the beginning of each argument that it names', async () => {
    const { approver, shown } = terminalOf(120, 'y');
    const fields = { text: `${'x'.repeat(198)}😀${'y'.repeat(1000)}`, to: 'Anna' };
    await approver.askBatch({ ...batch, proposals: [{ ...PROPOSAL, fields }] }, options);
    expect(shown()).toContain(
      `a: approve, and 8 more calls of pay with {"text":"${'x'.repeat(198)}…,"to":"Anna"}\n`,
    );
  });

  it('is not cut while it fits the columns of the terminal', async () => {
    const { approver, shown } = terminalOf(120, 'y');
    const wide = request(1, { arguments: { to: '支付给安娜的发票和备注' }, line: undefined });
    await approver.askBatch({ ...batch, requests: [wide] }, options);
    expect(shown()).not.toMatch(/[…╭]/);
  });

  it.each<[string, BatchDecision]>([
    ['y', { calls: {}, others: { approved: true } }],
    ['n', { others: REJECTED }],
    ['2, 4', { calls: { r2: APPROVED, r4: APPROVED }, others: REJECTED }],
    ['2-4', { calls: { r2: APPROVED, r3: APPROVED, r4: APPROVED }, others: REJECTED }],
    ['a', { calls: {}, others: { approved: true }, grant: PROPOSAL }],
  ])('is decided by %j', async (typed, decision) => {
    const { approver } = terminal(typed);
    expect(await approver.askBatch(batch, options)).toEqual(decision);
  });

  it('is asked again after what is not a choice', async () => {
    const { approver, shown } = terminal('maybe', '5', '2-1', 'e', 'a 2', 'y 1', '', 'n');
    expect(await approver.askBatch(batch, options)).toMatchObject({ others: REJECTED });
    expect(shown()).toContain('There is no such choice: maybe\n');
    expect(shown().match(/^There is no such|^Type e and/gm)).toHaveLength(7);
  });

  it('is decided with arguments that were typed', async () => {
    const edit = '{"to": "Ben", "amount": 9}';
    const { approver, shown } = terminal('e 2', 'not JSON', 'e 2', edit, '1 2');
    expect(await approver.askBatch(batch, options)).toEqual({
      calls: { r1: APPROVED, r2: { approved: true, arguments: { to: 'Ben', amount: 9 } } },
      others: REJECTED,
    });
    expect(shown()).toContain('  2*  pay   {"to":"Ben","amount":9}');
  });

  it('is asked again with what is wrong with the decision', async () => {
    const { approver, shown } = terminal('y', 'n');
    const check = ({ others }: BatchDecision): void => {
      if (others?.approved === true) throw new Error('amount is too large');
    };
    expect(await approver.askBatch(batch, { signal, check })).toEqual({ others: REJECTED });
    expect(shown()).toContain('amount is too large\n');
  });

  it('is not shown if it is withdrawn while another one is asked', async () => {
    const withdrawn = new AbortController();
    const { approver, shown } = terminal('y', 'y', 'y');
    const [first, waiting, last] = [1, 2, 3].map(async (number) =>
      approver.askBatch(
        { ...batch, requests: [request(number, { toolName: `pay${number}` })] },
        number === 2 ? { ...options, signal: withdrawn.signal } : options,
      ),
    );
    withdrawn.abort();
    expect(await waiting).toEqual({
      others: { approved: false, reason: 'the user did not answer' },
    });
    expect(await Promise.all([first, last])).toMatchObject([
      { others: APPROVED },
      { others: APPROVED },
    ]);
    expect(shown().match(/pay\d/g)).toEqual(['pay1', 'pay3']);
  });

  it('is rejected at the end of the input', async () => {
    const { approver } = terminal();
    expect(await approver.askBatch(batch, options)).toEqual({
      others: { approved: false, reason: 'the user did not answer' },
    });
  });
});

describe('a single call at the terminal', () => {
  const { number: _number, ...about } = request(1);
  const single = { ...about, proposal: { calls: 4 } };

  it.each([
    ['y', APPROVED],
    ['n', REJECTED],
    ['a', { approved: true, grant: { calls: 4 } }],
  ])('is decided by %j', async (typed, approval) => {
    const { approver } = terminal(typed);
    expect(await approver.ask(single, { signal })).toEqual(approval);
  });

  it('is decided with arguments that were typed', async () => {
    const { approver } = terminal('e 1', '{"amount": 2}', 'y');
    expect(await approver.ask(single, { signal })).toEqual({
      approved: true,
      arguments: { amount: 2 },
    });
  });
});
