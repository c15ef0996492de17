import type { CallLog } from '../../calls/call-log.ts';
import { DEFAULT_BUDGETS } from '../../execution/limits/execution-budgets.ts';
import type { LanguageName } from '../../protocol/messages.ts';
import type { Executor } from '../../sessions/executor.ts';
import type { ToolSet } from '../../tools/registry/tool-set.ts';
import type { CodeEvent } from '../code/code-event.ts';
import { CallPattern } from './call-pattern.ts';
import { chooseHint } from './choose-hint.ts';

export interface HintOptions {
  readonly executor: Pick<Executor, 'concurrentToolCalls'>;
  /** @default true */
  readonly hints?: boolean;
}

/** The hint for the model about the calls of one program: one at most. */
export class ProgramHint {
  readonly #pattern: CallPattern | undefined;
  readonly #mostAtOnce: number;
  readonly #program: { readonly tools: Pick<ToolSet, 'get'>; readonly language: LanguageName };

  constructor(
    { executor, hints = true }: HintOptions,
    program: { readonly tools: Pick<ToolSet, 'get'>; readonly language: LanguageName },
  ) {
    this.#pattern = hints ? new CallPattern() : undefined;
    this.#mostAtOnce = executor.concurrentToolCalls ?? DEFAULT_BUDGETS.concurrentToolCalls;
    this.#program = program;
  }

  /** Returns a log that looks at each call, and passes it on. */
  logWith(log: CallLog): CallLog {
    return this.#pattern?.logWith(log) ?? log;
  }

  /** Looks at an event of the program. */
  see(event: CodeEvent): void {
    if (event.type === 'approval-requested') this.#pattern?.asked(event.toolName);
  }

  /** What is known when the program has ended; undefined if there is nothing to say. */
  get text(): string | undefined {
    const { tools, language } = this.#program;
    const facts = this.#pattern?.facts(tools, this.#mostAtOnce);
    return facts && chooseHint(facts, language);
  }
}
