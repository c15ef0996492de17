import type { JsonObject, JsonValue } from '../shared/json.ts';

/**
 * The messages of the wire protocol. A message's fields, in snake case as they are on the wire,
 * are the JSON inside its frame; `kind` is not among them, since the frame's marker says it.
 */

/** Raised whenever a runner of one version could misread a host of another. */
export const PROTOCOL_VERSION = 1;

/** What programs are written in. */
export type LanguageName = 'python' | 'typescript' | 'javascript' | 'bash';

/** A tool as the runner needs it to make a function of it. */
export interface ToolStub {
  /** The tool's name on the host; sent back in a call. */
  readonly name: string;
  /** The function's name in the guest. */
  readonly identifier: string;
  /** The function's docstring, its signature in the first line. */
  readonly documentation: string;
  /** The parameters in the order of the documented signature. */
  readonly parameters: readonly ToolStubParameter[];
}

export interface ToolStubParameter {
  /** The property's name in the input schema. */
  readonly name: string;
  /** The parameter's name in the guest. */
  readonly identifier: string;
  /** Whether a dict may be this parameter's own value, and not a dict of all arguments. */
  readonly accepts_object: boolean;
  /** The types of JSON that it takes, where the language's arguments are text; of a list, those of its items too. */
  readonly types?: readonly string[];
}

/** Host to runner, for each language before its first program, and again where its tools have changed. */
export interface ConfigureMessage {
  readonly kind: 'configure';
  readonly language: LanguageName;
  readonly tools: readonly ToolStub[];
  /** Bytes of each output stream of one run that the runner passes on; of more it keeps the head and the tail. */
  readonly output_limit_bytes: number;
  /** Bytes that the frame of one tool call may take, or that of the value that a program hands back. */
  readonly call_limit_bytes: number;
  /** Values that its arguments, or that value, may have: numbers, texts, lists, objects. */
  readonly call_limit_values: number;
  /** How long an interrupted program may take to stop before its interpreter is killed. */
  readonly cancel_grace_ms: number;
}

/** Host to runner: run this program. One at a time. */
export interface ExecuteMessage {
  readonly kind: 'execute';
  readonly execution_id: string;
  readonly language: LanguageName;
  readonly code: string;
  /** The host stops a program that runs longer; where the host is gone, the runner does, soon after. */
  readonly time_limit_ms: number;
}

/** Host to runner: how a tool call ended. */
export interface ToolResultMessage {
  readonly kind: 'tool-result';
  readonly call_id: string;
  /** The result as JSON, which stands in the frame as it is: nothing on the way parses it. */
  readonly result: JsonText;
  readonly error: ToolFailure | null;
}

/** JSON that is already text. */
export interface JsonText {
  readonly text: string;
}

export interface ToolFailure {
  /** What kind of failure, such as `InvalidArguments` or `Timeout`. */
  readonly type: string;
  readonly message: string;
}

/** Host to runner: interrupt this execution. */
export interface CancelMessage {
  readonly kind: 'cancel';
  readonly execution_id: string;
}

/**
 * Host to runner: this execution has more time, as when somebody has to decide one of its calls.
 * Without a host, the runner counts the new limit from the message's arrival.
 */
export interface ExtendMessage {
  readonly kind: 'extend';
  readonly execution_id: string;
  readonly time_limit_ms: number;
}

/**
 * Host to runner: this host serves a sandbox that may outlive it, and perhaps outlived another. A
 * program that another host left under way is interrupted. From now on the sandbox ends by itself
 * when no program has run for `idle_limit_ms`.
 */
export interface AttachMessage {
  readonly kind: 'attach';
  /** Comes back in the answer: an earlier host's may still be on its way. */
  readonly attach_id: string;
  readonly idle_limit_ms: number;
}

/** Host to runner: end. The end of standard input means the same. */
export interface ExitMessage {
  readonly kind: 'exit';
}

/** Runner to host, once: it can take messages. */
export interface ReadyMessage {
  readonly kind: 'ready';
  readonly protocol: number;
  readonly language: string;
  /** The interpreter's version, such as `3.13.5`. */
  readonly version: string;
}

/** Runner to host: the answer to `attach`, once no program runs. */
export interface AttachedMessage {
  readonly kind: 'attached';
  readonly attach_id: string;
  /** How many executions it has had; the next one's id follows. */
  readonly executions: number;
  /** Whether a program was under way. */
  readonly interrupted: boolean;
}

/** Runner to host: the program called a tool and waits for the result. */
export interface ToolCallMessage {
  readonly kind: 'tool-call';
  readonly execution_id: string;
  /** Unique within the execution. */
  readonly call_id: string;
  readonly tool_name: string;
  /** Objects without prototypes. */
  readonly arguments: JsonObject;
  /** Why the arguments, empty then, are not taken. Not on the wire: who reads the frame finds it. */
  readonly refusal?: string;
}

/**
 * Runner to host: the program no longer waits for a call, as when it was cancelled or ran into a time
 * limit of the program's own. A result that comes all the same finds nobody.
 */
export interface CallGivenUpMessage {
  readonly kind: 'call-given-up';
  readonly execution_id: string;
  readonly call_id: string;
}

export type OutputStream = 'stdout' | 'stderr';

/** Runner to host: the program printed. */
export interface OutputChunkMessage {
  readonly kind: 'output-chunk';
  readonly execution_id: string;
  readonly stream: OutputStream;
  readonly text: string;
  /** Bytes printed before this text that the runner left out. */
  readonly omitted_bytes: number;
}

/**
 * Runner to host, at most once in an execution and before its outcome: what the program hands back, by `submit` or as its
 * last expression's value. The limits of a call hold for it.
 */
export interface ValueMessage {
  readonly kind: 'value';
  readonly execution_id: string;
  /** Objects without prototypes. */
  readonly value: JsonValue;
}

/** Runner to host: the execution is over. Every chunk of it came before. */
export interface OutcomeMessage {
  readonly kind: 'outcome';
  readonly execution_id: string;
  readonly success: boolean;
  /** The last expression's value as the language shows it; null where it has none. */
  readonly value: string | null;
  readonly error: GuestError | null;
  /** 0, or 1 after an error, or what the program passed to `sys.exit`. */
  readonly exit_code: number;
  /** Set where the interpreter itself is gone, and with it the session's state. */
  readonly interpreter_end: InterpreterEnd | null;
}

export interface GuestError {
  /** The exception's class, such as `KeyError`. */
  readonly type: string;
  readonly message: string;
  /** The line of the program, from 1, that the error came from; null where there is none. */
  readonly line: number | null;
  /** The error as the language prints it, with the program's own frames only. */
  readonly traceback: string;
}

/** How an interpreter ended, as its supervisor saw it. */
export interface InterpreterEnd {
  readonly reason: 'exit' | 'signal' | 'memory' | 'killed';
  /** The exit status or the signal's number. */
  readonly status: number;
}

export type HostMessage =
  | ConfigureMessage
  | ExecuteMessage
  | ToolResultMessage
  | CancelMessage
  | ExtendMessage
  | AttachMessage
  | ExitMessage;

export type RunnerMessage =
  | ReadyMessage
  | AttachedMessage
  | ToolCallMessage
  | CallGivenUpMessage
  | OutputChunkMessage
  | ValueMessage
  | OutcomeMessage;
