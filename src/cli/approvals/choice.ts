import type {
  ApprovalBatch,
  BatchDecision,
  BatchedApproval,
} from '../../tools/policy/batches/approval-batch.ts';

/** What a person types about a batch. */
export type Choice =
  | { readonly kind: 'decide'; readonly decision: BatchDecision }
  /** The call with this number gets other arguments. */
  | { readonly kind: 'edit'; readonly id: string; readonly sent: unknown }
  | { readonly kind: 'unclear'; readonly why: string };

/** Arguments that a person has typed, by the ids of requests. */
export type Edits = ReadonlyMap<string, unknown>;

const REJECTED: BatchedApproval = { approved: false, reason: 'the user rejected it' };

/** What a person who did not answer has decided. */
export const NOT_ANSWERED: BatchDecision = {
  others: { approved: false, reason: 'the user did not answer' },
};

/** Reads what a person typed: `y`, `n`, numbers, `e` with one, or `a`. */
export function readChoice(typed: string, batch: ApprovalBatch, edits: Edits): Choice {
  const [word = '', ...rest] = typed
    .trim()
    .toLowerCase()
    .split(/[\s,]+/);
  if (word === 'y' && rest.length === 0) return decide({ calls: edited(edits), ...ALL });
  if (word === 'n' && rest.length === 0) return decide({ others: REJECTED });
  if (word === 'e') return edit(rest, batch);
  if (word === 'a') return grant(rest, batch, edits);
  const numbers = numbersIn([word, ...rest], batch.requests.length);
  if (numbers === undefined) return unclear(`There is no such choice: ${typed.trim()}`);
  const chosen = batch.requests.filter(({ number }) => numbers.has(number));
  const given = edited(edits);
  const calls = chosen.map(({ id }) => [id, given[id] ?? APPROVED] as const);
  return decide({ calls: Object.fromEntries(calls), others: REJECTED });
}

const APPROVED = { approved: true } as const;
const ALL = { others: APPROVED } as const;

function edited(edits: Edits): Record<string, BatchedApproval> {
  return Object.fromEntries(
    [...edits].map(([id, sent]) => [id, { approved: true, arguments: sent } as const]),
  );
}

function edit(rest: readonly string[], batch: ApprovalBatch): Choice {
  const [number] = numbersIn(rest, batch.requests.length) ?? [];
  const request = batch.requests.find((one) => one.number === number);
  return request === undefined || rest.length !== 1
    ? unclear('Type e and the number of a call, such as: e 1')
    : { kind: 'edit', id: request.id, sent: request.arguments };
}

/** Approves all, and further calls like one of the proposals. */
function grant(rest: readonly string[], batch: ApprovalBatch, edits: Edits): Choice {
  const [given, ...more] = rest;
  const proposal = batch.proposals[Number(given ?? '1') - 1];
  return proposal === undefined || more.length > 0
    ? unclear('There is no such grant.')
    : decide({ calls: edited(edits), ...ALL, grant: proposal });
}

/** Undefined if a word is not a number of a call, or a range of these. */
function numbersIn(words: readonly string[], most: number): ReadonlySet<number> | undefined {
  const numbers = new Set<number>();
  for (const word of words) {
    const [, from = '', to = from] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(word) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (from === '' || first < 1 || last < first || last > most) return undefined;
    for (let number = first; number <= last; number += 1) numbers.add(number);
  }
  return numbers;
}

function decide(decision: BatchDecision): Choice {
  return { kind: 'decide', decision };
}

function unclear(why: string): Choice {
  return { kind: 'unclear', why };
}
