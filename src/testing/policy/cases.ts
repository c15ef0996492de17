/** A call, and what must come of it. */
export interface ExpectedCall {
  readonly tool: string;
  readonly amount: unknown;
  /** What the caller gets: the result as JSON, or the type of the error and its message. */
  readonly told: RegExp;
  /** The amount that the tool gets; undefined if it does not run. */
  readonly ran: number | undefined;
  /** The entries of the audit log: the type, the decision or the outcome, and the reason. */
  readonly entries: readonly RegExp[];
}

/** A call that is the same on every way. */
export interface Case extends ExpectedCall {
  /** As `a call … `. */
  readonly what: string;
}

const ASKED = /^approval-requested: a person looks$/;

/** The cases of the rules and of the approver in `rules.ts`. */
export const CASES: readonly Case[] = [
  runs('about which no rule says anything', 'shop:pay', 7),
  denied('that a rule denies', 'shop:close', 1, 'not on Saturdays'),
  denied('that a rule denies for its arguments', 'shop:pay', 500, 'too much'),
  runs('that no rule denies for its labels', 'shop:refund', 1),
  denied('that a rule denies for its labels', 'shop:refund', 2, 'of another shop'),
  runs('that a rule allows for a hint of its tool', 'shop:list', 1),
  denied('whose tool does not give that hint', 'shop:count', 1, 'only reading'),
  approved('that the approver approves', 1, 'approved', 1),
  approved('whose arguments the approver changes', 3, 'edited', 30),
  rejected('that the approver rejects', 2, 'not this one'),
  rejected('that the approver changes to what the schema refuses', 4, 'the approver.* not fit: .+'),
  rejected('that the approver changes to what a rule denies', 5, 'the policy denies.*: too much'),
  approved('of a rule that asks about calls together', 1, 'approved', 1, 'shop:ship'),
  denied('that a rule denies before the approver sees it', 'shop:sell', 500, 'too much'),
  {
    ...{ what: 'with arguments that the schema refuses', tool: 'shop:sell', amount: 'x' },
    ...{ told: /^InvalidArguments: .*amount/, ran: undefined },
    entries: [/^tool-call-ended InvalidArguments$/],
  },
];

function runs(what: string, tool: string, amount: number): Case {
  const entries = [/^tool-call-ended ok$/];
  return { what, tool, amount, told: exactly(String(amount)), ran: amount, entries };
}

function denied(what: string, tool: string, amount: number, why: string): Case {
  const told = exactly(`Denied: the policy denies it: ${why}`);
  const entries = [exactly(`tool-call-denied: ${why}`), /^tool-call-ended Denied$/];
  return { what, tool, amount, told, ran: undefined, entries };
}

function approved(
  what: string,
  amount: number,
  decision: string,
  ran: number,
  tool = 'shop:sell',
): Case {
  const decided = exactly(`approval-decided ${decision}: a person looks`);
  const entries = [ASKED, decided, /^tool-call-ended ok$/];
  return { what, tool, amount, told: exactly(String(ran)), ran, entries };
}

function rejected(what: string, amount: number, why: string): Case {
  const told = exactly(`Rejected: it was not approved: ${why}`);
  const decided = exactly(`approval-decided rejected: ${why}`);
  const entries = [ASKED, decided, /^tool-call-ended Rejected$/];
  return { what, tool: 'shop:sell', amount, told, ran: undefined, entries };
}

function exactly(text: string): RegExp {
  return new RegExp(`^${text}$`);
}
