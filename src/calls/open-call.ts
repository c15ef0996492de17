import { CALL_END, type AbortableContext, type CallEnd } from '../tools/call-abort.ts';
import type { ToolContext } from '../tools/tool.ts';
import { ProgressReports } from './progress-reports.ts';
import type { ToolInvocation } from './tool-invocation.ts';

/** A call whose tool runs, and the context that the tool gets. */
export class OpenCall implements CallEnd {
  readonly context: ToolContext & AbortableContext;
  #controller: AbortController | undefined;
  #abortReason: Error | undefined;
  #listener: ((reason: unknown) => void) | undefined;
  #reports: ProgressReports | undefined;
  #isClosed = false;

  /** @param onMove - Called when the tool reports progress. */
  constructor({ caller, callId, origin, files, onProgress }: ToolInvocation, onMove: () => void) {
    const { sessionId, sessionKey, labels, tenant, runId, context } = origin;
    const progress: ToolContext['progress'] = (report) => {
      if (this.#isClosed) return;
      this.#reports ??= new ProgressReports((reported) => onProgress?.(reported));
      this.#reports.add(report);
      onMove();
    };
    const about = { caller, callId, sessionId, sessionKey, labels, tenant, runId, context };
    this.context = withSignal({ [CALL_END]: this, files, progress, ...about });
  }

  /**
   * Created when the tool asks for it: most tools never do, and it costs more than everything else
   * here.
   */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }

  onAbort(listener: (reason: unknown) => void): () => void {
    if (this.#abortReason === undefined) this.#listener = listener;
    else listener(this.#abortReason);
    return () => void (this.#listener = undefined);
  }

  abort(reason: Error): void {
    this.#abortReason = reason;
    this.#isClosed = true;
    this.#controller?.abort(reason);
    this.#listener?.(reason);
  }

  /** Its tool has ended, or is not waited for. */
  close(): void {
    this.#isClosed = true;
    this.#reports?.end();
  }
}

/** Shared by all contexts: an accessor of its own takes V8 longer than the rest of the object. */
const SIGNAL: PropertyDescriptor & ThisType<AbortableContext> = {
  configurable: true,
  enumerable: true,
  get() {
    return this[CALL_END]?.signal;
  },
};

function withSignal(context: Omit<ToolContext, 'signal'> & AbortableContext): ToolContext {
  return Object.defineProperty(context, 'signal', SIGNAL) as ToolContext;
}
