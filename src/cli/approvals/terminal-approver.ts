import { SerialQueue } from '../../shared/async/serial-queue.ts';
import { messageOf } from '../../shared/errors.ts';
import { escapeJsonControls } from '../../shared/json/json-escapes.ts';
import { escapeLine } from '../../shared/control-characters.ts';
import type { ApprovalRequest } from '../../tools/policy/approval-request.ts';
import type { Approval } from '../../tools/policy/approval.ts';
import type {
  ApprovalBatch,
  AskBatchOptions,
  BatchDecision,
} from '../../tools/policy/batches/approval-batch.ts';
import type { Colors } from '../terminal/terminal.ts';
import { batchTable, choicesOf, questionOf } from './batch-table.ts';
import { NOT_ANSWERED, readChoice } from './choice.ts';

export interface TerminalApproverOptions {
  /** Reads a line that a person types; undefined at the end of the input, or if the signal fires. */
  readonly read: (signal: AbortSignal) => Promise<string | undefined>;
  readonly write: (text: string) => void;
  /** Called before a question is shown. */
  readonly onAsk: () => void;
  readonly colors: Colors;
  /** The columns of the terminal. */
  readonly columns: () => number;
}

/** Asks the person at the terminal about calls, one question after another. */
export class TerminalApprover {
  readonly #options: TerminalApproverOptions;
  readonly #queue: SerialQueue = new SerialQueue();

  constructor(options: TerminalApproverOptions) {
    this.#options = options;
  }

  /** Asks about a single call as about a batch of one. */
  async ask(
    request: ApprovalRequest,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<Approval> {
    const { id, toolName, proposal, requestedAtMs, expiresAtMs, canGrant } = request;
    const batch: ApprovalBatch = {
      id,
      program: { language: '', code: '', purpose: undefined },
      requests: [{ ...request, number: 1 }],
      requestedAtMs,
      expiresAtMs,
      canGrant,
      proposals: proposal === undefined ? [] : [{ toolName, ...proposal }],
    };
    const { calls, others, grant } = await this.askBatch(batch, { signal, check: () => {} });
    const decided = calls?.[id] ?? others;
    if (decided?.approved !== true || grant === undefined) {
      return decided ?? { approved: false, reason: 'the user did not answer' };
    }
    const { toolName: _toolName, ...terms } = grant;
    return { ...decided, grant: terms };
  }

  async askBatch(batch: ApprovalBatch, options: AskBatchOptions): Promise<BatchDecision> {
    return this.#queue.add(async () => {
      // Nobody waits for an answer any more: the call was aborted while it waited for its turn.
      return options.signal.aborted ? NOT_ANSWERED : this.#ask(batch, options);
    });
  }

  async #ask(batch: ApprovalBatch, { signal, check }: AskBatchOptions): Promise<BatchDecision> {
    const { read, write, colors, columns } = this.#options;
    const edits = new Map<string, unknown>();
    this.#options.onAsk();
    write(`\n${colors.yellow(questionOf(batch))}\n`);
    for (;;) {
      write(`${batchTable(batch, edits, { columns: columns(), colors })}${choicesOf(batch)}\n`);
      const typed = await read(signal);
      if (typed === undefined) {
        write('\n');
        return NOT_ANSWERED;
      }
      const choice = readChoice(typed, batch, edits);
      try {
        if (choice.kind === 'unclear') write(`${escapeLine(choice.why)}\n`);
        else if (choice.kind === 'edit') await this.#edit(choice, edits, signal);
        else {
          check(choice.decision);
          return choice.decision;
        }
      } catch (error) {
        write(`${colors.red(escapeLine(messageOf(error)))}\n`);
      }
    }
  }

  /** @throws SyntaxError for what is not JSON. */
  async #edit(
    { id, sent }: { readonly id: string; readonly sent: unknown },
    edits: Map<string, unknown>,
    signal: AbortSignal,
  ): Promise<void> {
    const { read, write } = this.#options;
    const current = escapeJsonControls(JSON.stringify(edits.has(id) ? edits.get(id) : sent));
    write(`  ${current}\n  Type the new arguments as JSON, or nothing to keep these.\n`);
    const typed = (await read(signal))?.trim() ?? '';
    if (typed !== '') edits.set(id, JSON.parse(typed));
  }
}
