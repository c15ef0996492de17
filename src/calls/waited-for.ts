import { onAbort } from '../shared/async/on-abort.ts';
import type { CallWaiter } from '../tools/policy/call-waiter.ts';
import type { ToolInvocation } from './tool-invocation.ts';

/**
 * Whether something waits for a call, until `end`. It listens to the program when somebody asks,
 * because most calls are decided at once.
 */
export class WaitedFor implements CallWaiter {
  readonly #invocation: ToolInvocation;
  readonly #listeners: Set<() => void> = new Set();
  #stopListening: (() => void) | undefined;
  #controller: AbortController | undefined;
  #isOver = false;

  constructor(invocation: ToolInvocation) {
    this.#invocation = invocation;
  }

  get isOver(): boolean {
    this.#listen();
    return this.#isOver;
  }

  onOver(listener: () => void): () => void {
    this.#listen();
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      if (this.isOver) controller.abort(this.#invocation.signal.reason);
    }
    return this.#controller.signal;
  }

  /** The call was admitted or refused. */
  end(): void {
    if (this.#stopListening === undefined) return;
    this.#stopListening();
    this.#invocation.openCalls?.leave(this.#invocation.callId);
  }

  #listen(): void {
    if (this.#stopListening !== undefined) return;
    const { signal, callId, openCalls } = this.#invocation;
    this.#stopListening = onAbort(signal, this.#end);
    openCalls?.enter(callId, this.#end);
    if (signal.aborted) this.#end();
  }

  /** The program has ended, or gave the call up. */
  readonly #end = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const listener of this.#listeners) listener();
    this.#controller?.abort(this.#invocation.signal.reason);
  };
}
