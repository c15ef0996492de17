import { untilAborted } from '../shared/async/abort.ts';
import type { AuditSink, ProgramStartedEntry } from '../audit/entry.ts';
import { CallTrail } from '../calls/call-trail.ts';
import type { ExecutionResult } from './execution.ts';

/** Writes the entry of a program's start, and later those of its calls and its end. */
export class ProgramTrail extends CallTrail {
  readonly #program: Pick<ProgramStartedEntry, 'sessionId' | 'programId' | 'runId'>;

  constructor(
    sink: AuditSink,
    request: Pick<ProgramStartedEntry, 'sessionId' | 'runId' | 'language' | 'code' | 'timeoutMs'>,
    programId: string,
  ) {
    const { sessionId, runId, language, code, timeoutMs } = request;
    const program = { sessionId, programId, runId };
    super(sink, program);
    this.#program = program;
    sink.record({ type: 'program-started', ...program, language, code, timeoutMs });
  }

  /**
   * Settles when the log has room for more, so that a session cannot make entries faster than they
   * are written. If the signal fires, it settles at once, because a caller that aborts should not
   * wait for a disk. The entries are still written.
   */
  async programEnded(result: ExecutionResult, signal: AbortSignal | undefined): Promise<void> {
    const { status, durationMs, toolCalls, stdout, stderr, files } = result;
    const outputBytes = Buffer.byteLength(stdout) + Buffer.byteLength(stderr);
    const fileNames = files.map(({ name }) => name);
    const fileBytes = files.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0);
    const end = { status, durationMs, toolCalls, outputBytes, fileNames, fileBytes };
    this.sink.record({ type: 'program-ended', ...this.#program, ...end });
    const recorded = this.ready();
    if (recorded !== undefined) await untilAborted(recorded, signal);
  }
}
