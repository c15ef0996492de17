import { GuardedAuditLog } from '../../audit/guarded-audit-log.ts';
import { CallCounter } from '../../calls/limits/call-counter.ts';
import type { Executor } from '../../sessions/executor.ts';
import { sessionIdOf } from '../../sessions/session/shared-session.ts';
import type { Labels } from '../../shared/labels.ts';
import { given } from '../../shared/given.ts';
import type { PolicyOptions } from '../../tools/policy/policy-gate.ts';
import { toolSetOf } from '../../tools/registry/tools-option.ts';
import type { ToolSet } from '../../tools/registry/tool-set.ts';
import { answerSettings } from '../answer-settings.ts';
import type { CodeTool } from '../code/code-tool.ts';
import { codePrompt, type CatalogOptions } from '../code/tool-catalog.ts';
import type { ContextWindow } from '../context/context-window.ts';
import type { RunEventEmitter } from '../events/run-event-emitter.ts';
import type { OrchestratorOptions, RunOptions } from '../orchestrator-options.ts';
import { OutputCheck } from '../output-check.ts';
import type { RunParts } from './run-loop.ts';
import { runOrigin } from './run-origin.ts';
import type { Journal } from '../store/journal.ts';
import { modelTools, systemPrompt } from '../system-prompt.ts';
import { ToolUses } from '../tool-uses.ts';
import { RunLimits } from '../turns/run-limits.ts';

export interface RunPartsOptions {
  /** The options of the conversation. */
  readonly own: OrchestratorOptions;
  /** The options of the run. */
  readonly options: RunOptions;
  readonly executor: Executor;
  readonly codeTool: CodeTool;
  /** The tools of the conversation. */
  readonly tools: ToolSet;
  readonly catalog: CatalogOptions;
  readonly policy: PolicyOptions | undefined;
  readonly labels: Labels;
  readonly journal: Journal | undefined;
  readonly window: ContextWindow;
  readonly events: RunEventEmitter;
  readonly signal: AbortSignal;
}

/** What a run needs beside the conversation. @throws PtcError `OPTION_INVALID`, `TOOL_NAME_CLASH`. */
export function runParts(about: RunPartsOptions): RunParts {
  const { own, options, executor, codeTool, catalog, journal, labels, window, signal } = about;
  const { instructions, mode = 'hybrid', ...settings } = { ...own, ...given(options) };
  const limits = new RunLimits(settings);
  const { fairBy } = executor;
  const audit = own.audit ?? executor.audit;
  const origin = runOrigin(codeTool.sessionKey, { labels, fairBy }, options);
  const events = about.events.to(options.onEvent, origin.runId);
  const tools = toolSetOf(options.tools ?? about.tools).snapshot();
  const offered = modelTools(tools, mode, codeTool);
  const code = mode === 'direct' ? undefined : codePrompt(tools, catalog);
  const toolUses = new ToolUses({
    codeTool,
    tools: limits.bound(tools),
    knownTools: [executor.tools, about.tools, tools],
    policy: limits.boundPolicy(about.policy),
    // A log of the user's that throws would leave a call that was made without its answer.
    audit: audit && new GuardedAuditLog(audit),
    checkResults: executor.checkResults,
    origin,
    counter: CallCounter.ofDirectCalls({
      runId: origin.runId,
      sessionId: sessionIdOf(codeTool.sessionKey),
    }),
    callLog: journal && ((toolUseId) => journal.callLog(toolUseId)),
    signal,
    events,
  });
  const output = options.output === undefined ? undefined : new OutputCheck(options.output);
  return {
    ...settings,
    ...events,
    runId: origin.runId,
    system: systemPrompt({ instructions, code, output: output?.prompt }),
    tools: offered,
    settings: answerSettings(settings, offered, tools),
    maxTurns: settings.maxTurns ?? 10,
    output,
    toolUses,
    limits,
    window,
    signal,
  };
}
