import type { JsonObject } from '../shared/json/json.ts';

/** Runner to host: the program called a tool and waits for the result. */
export interface ToolCallMessage {
  readonly kind: 'tool-call';
  readonly execution_id: string;
  /** Unique within the execution. */
  readonly call_id: string;
  readonly tool_name: string;
  /** Objects without prototypes. */
  readonly arguments: JsonObject;
  /** Only if `execute` asked for it and the guest knows it: the line of the program that makes the call. */
  readonly line?: number;
  /**
   * Why the arguments were refused. They are empty then. Not a field of the frame: decoding sets
   * it.
   */
  readonly refusal?: string;
}

/**
 * Runner to host: the program no longer waits for a call, for example because the program cancelled
 * it or set a time limit of its own. A result that still arrives is ignored.
 */
export interface CallGivenUpMessage {
  readonly kind: 'call-given-up';
  readonly execution_id: string;
  readonly call_id: string;
}

/**
 * Runner to host, only if `execute` asked for it: nothing in the program can go on before a call is
 * answered or a timer fires. It follows the calls on their stream, so the host knows them all.
 */
export interface WaitingMessage {
  readonly kind: 'waiting';
  readonly execution_id: string;
  /**
   * How many results of calls the program has received. The host has sent more if the program has
   * not seen the last ones yet, so it goes on.
   */
  readonly results: number;
  /**
   * False if something else could make the program go on that the runner does not see through, such
   * as a thread, a process or a file. In bash it is always false.
   */
  readonly certain: boolean;
}
