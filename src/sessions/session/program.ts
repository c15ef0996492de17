import { randomUUID } from 'node:crypto';
import type { CallLog } from '../../calls/call-log.ts';
import type { ExecutionEvent } from '../../execution/execution.ts';
import type { Language } from '../../languages/language.ts';
import type { LanguageName } from '../../protocol/messages.ts';
import type { Labels } from '../../shared/labels.ts';
import type { PolicyGate } from '../../tools/policy/policy-gate.ts';
import { toolSetOf } from '../../tools/registry/tools-option.ts';
import type { ToolSet } from '../../tools/registry/tool-set.ts';
import type { SessionExecuteOptions } from '../options/executor-options.ts';
import { checkLabels } from '../options/keys-and-labels.ts';
import { chooseLanguage } from '../options/language-choice.ts';
import type { Policies } from '../options/policies.ts';

/** A program, with everything that it needs apart from a session. */
export interface Program {
  readonly code: string;
  /** What the model wrote before it. */
  readonly purpose: string | undefined;
  readonly language: Language;
  readonly tools: ToolSet;
  readonly policy: PolicyGate | undefined;
  /** They replace those of the session. @default the session's */
  readonly labels: Labels | undefined;
  readonly context: unknown;
  readonly runId: string;
  /** Whether the run is this program: nobody named another. */
  readonly endsRun: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly callLog: CallLog | undefined;
  readonly onEvent: ((event: ExecutionEvent) => unknown) | undefined;
}

/** What programs have that name nothing else. */
export interface ProgramDefaults {
  readonly tools: ToolSet;
  readonly languages: readonly LanguageName[];
  readonly programTimeoutMs: number;
  /** The executor's policy, and those that programs named before. */
  readonly policies: Policies;
}

/**
 * A program with what it names, and the defaults.
 * @param options - Their names and kinds were checked.
 * @param tools - The tools of its session. @default the executor's
 * @throws PtcError `OPTION_INVALID`, and what `toolSetOf` throws.
 */
export function prepareProgram(
  code: string,
  options: SessionExecuteOptions,
  defaults: ProgramDefaults,
  tools: ToolSet = defaults.tools,
): Program {
  const { timeoutMs = defaults.programTimeoutMs, runId = randomUUID() } = options;
  const { signal, onEvent, context, callLog, purpose } = options;
  const ownTools = options.tools === undefined ? tools : toolSetOf(options.tools);
  return {
    code,
    purpose,
    language: chooseLanguage(defaults.languages, options.language),
    tools: ownTools,
    policy: defaults.policies.gate(options.policy, [tools, ownTools]),
    labels: options.labels === undefined ? undefined : checkLabels(options.labels),
    context,
    runId,
    endsRun: options.runId === undefined,
    timeoutMs,
    signal,
    callLog,
    onEvent,
  };
}
