import type { LanguageName } from '../../protocol/messages.ts';
import type { Session } from '../../sessions/executor.ts';
import type { SessionExecuteOptions } from '../../sessions/options/executor-options.ts';
import type { SessionInfo } from '../../sessions/session/session-info.ts';
import { given } from '../../shared/given.ts';
import type { Labels } from '../../shared/labels.ts';
import { PacedListener } from '../../shared/listeners/paced-listener.ts';
import { CallRecord } from '../call-record.ts';
import { errorSummary } from '../events/error-summary.ts';
import { ProgramHint, type HintOptions } from '../hints/program-hint.ts';
import type { ProgramAnswer } from './code-answer.ts';
import type { CodeEvent } from './code-event.ts';
import type { CodeRun } from './code-run.ts';
import type { CodeSession } from './code-session.ts';
import type { CodeToolCallOptions } from './code-tool-options.ts';
import type { ProgramTools } from './program-tools.ts';

export interface ProgramCallOptions {
  readonly code: string;
  readonly language: LanguageName;
  /** The options of the code tool. */
  readonly own: HintOptions & { readonly programTimeoutMs?: number };
  /** The options of the call. */
  readonly call: CodeToolCallOptions;
  readonly programs: ProgramTools;
  readonly labels: Labels;
}

/** A call of the model with a program: what the program gets, and what is seen of it. */
export interface ProgramCall {
  readonly code: string;
  readonly language: LanguageName;
  readonly settings: SessionExecuteOptions;
  readonly listener: PacedListener<CodeEvent>;
  /** The tool calls of the program. */
  readonly record: CallRecord;
  readonly hint: ProgramHint;
}

export function programCall(about: ProgramCallOptions): ProgramCall {
  const { code, language, own, call, programs, labels } = about;
  const listener = new PacedListener(call.onEvent);
  const record = new CallRecord();
  const hint = new ProgramHint(own, { tools: programs.tools, language });
  const { onHostError: _onHostError, tools: _tools, policy: _policy, ...ofCall } = call;
  const settings = {
    ...given({ timeoutMs: own.programTimeoutMs }),
    ...given(ofCall),
    ...programs,
    labels: { ...labels, ...call.labels },
    language,
    callLog: hint.logWith(record.logWith(call.callLog)),
    onEvent: (event: CodeEvent) => {
      hint.see(event);
      listener.tell(event);
      return listener.taken;
    },
  };
  return { code, language, settings, listener, record, hint };
}

/**
 * Runs the program to its end.
 * @param finish - As for `CodeSession.execute`.
 * @throws PtcError as `CodeSession.execute`.
 */
export async function runToEnd(
  { code, language, settings, listener }: ProgramCall,
  session: Pick<CodeSession, 'execute'>,
  finish: (run: CodeRun, session: Session | undefined) => Promise<ProgramAnswer>,
): Promise<ProgramAnswer> {
  listener.tell({ type: 'program-started', language, code });
  const onOpened = (opened: SessionInfo): void =>
    listener.tell({ type: 'session-opened', session: opened });
  try {
    const answer = await session.execute(code, settings, onOpened, finish);
    listener.tell({ type: 'program-ended', result: answer.result, error: undefined });
    return answer;
  } catch (cause) {
    listener.tell({ type: 'program-ended', result: undefined, error: errorSummary(cause) });
    throw cause;
  }
}
