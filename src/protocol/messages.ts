import type { JsonValue } from '../shared/json/json.ts';
import type { CallGivenUpMessage, ToolCallMessage, WaitingMessage } from './call-messages.ts';
import type { FileAnswerMessage, FileCancelMessage, FileRequestMessage } from './file-messages.ts';

/**
 * The messages of the wire protocol. The JSON in a frame has a message's fields, in snake case,
 * without `kind`, which the frame's marker says.
 */

/** Raised if a runner of one version could misread a host of another. */
export const PROTOCOL_VERSION = 1;

/** The languages of programs. */
export type LanguageName = 'python' | 'typescript' | 'javascript' | 'bash';

/**
 * What the runner needs to know about a tool to make a function of it. There may be thousands of
 * tools, and each sandbox reads this when it starts.
 */
export interface ToolStub {
  /** The tool's name on the host, which calls contain. @default `path`, with a colon instead of the point */
  readonly name?: string;
  /** The function's name in the guest. @default `path`, with `_` instead of the point */
  readonly identifier?: string;
  /** Where else the guest finds the function: an object and its attribute, such as `orders.list`. */
  readonly path?: string;
  /**
   * The parameters in the order of the documented signature, separated by spaces. Each begins with
   * `!` if a call must have it, else with `?`, and then has
   *
   * - `{` if a dict may be its value, and not only a dict of all arguments,
   * - the property's name in the input schema,
   * - `=` and the parameter's name in the guest, if it is different,
   * - `:` and the JSON types that it accepts, separated by commas, for languages whose arguments are
   *   text. For a list, those of its items too.
   *
   * A character of a name that is not a letter of ASCII, a digit, `_` or `-` is its code point in
   * hexadecimal between `%` and `;`.
   */
  readonly parameters: string;
  /**
   * The function's docstring, which begins with its signature. Only the stubs that are sent for a
   * program that seems to read documentation have it.
   */
  readonly documentation?: string;
}

/**
 * Host to runner: the tools and limits of a language. Starts its interpreter. Sent before its first
 * program, and again if the tools change.
 */
export interface ConfigureMessage {
  readonly kind: 'configure';
  readonly language: LanguageName;
  /** The last field of the frame: the supervisor does not parse it. */
  readonly tools: readonly ToolStub[];
  /**
   * How many bytes of each output stream of a program the runner passes on. If there are more, it
   * keeps the beginning and the end.
   */
  readonly output_limit_bytes: number;
  /** The largest frame of a tool call or of a program's value, in bytes. */
  readonly call_limit_bytes: number;
  /**
   * How many values its arguments, or the program's value, may contain: numbers, texts, lists and
   * objects.
   */
  readonly call_limit_values: number;
  /**
   * How long an interrupted program may take to stop before its interpreter is killed. The time in
   * which it waits for a processor does not count, if the runner can tell.
   */
  readonly cancel_grace_ms: number;
  /** How long it may take in all. */
  readonly cancel_limit_ms: number;
}

/** Host to runner: run this program. One program at a time. */
export interface ExecuteMessage {
  readonly kind: 'execute';
  readonly execution_id: string;
  readonly language: LanguageName;
  readonly code: string;
  /**
   * The host stops a program that runs longer. If the host is gone, the runner does so a little
   * later.
   */
  readonly time_limit_ms: number;
  /**
   * Asks the runner to say when the program waits (`WaitingMessage`). Here and not in `configure`,
   * because it is a matter of one program, and most are not asked. @default false
   */
  readonly tell_waiting?: true;
  /** Asks the runner to say which line makes a call, if it knows (`ToolCallMessage.line`). @default false */
  readonly tell_lines?: true;
  /**
   * Asks the runner to say when the program calls `report` (`ReportMessage`), which prints a text.
   * @default false
   */
  readonly tell_reports?: true;
}

/** Host to runner: the result of a tool call. */
export interface ToolResultMessage {
  readonly kind: 'tool-result';
  readonly call_id: string;
  /**
   * The result as JSON text, which is put into the frame unchanged: neither the host nor the
   * supervisor parses it.
   */
  readonly result: JsonText;
  readonly error: ToolFailure | null;
}

/** JSON as text. */
export interface JsonText {
  readonly text: string;
}

/** Why a tool call failed, as the program gets it. */
export interface ToolFailure {
  /** The kind of the failure, such as `InvalidArguments` or `Timeout`. */
  readonly type: string;
  readonly message: string;
}

/** Host to runner: interrupt this execution. */
export interface CancelMessage {
  readonly kind: 'cancel';
  readonly execution_id: string;
}

/**
 * Host to runner: this execution has more time, for example because a person has to decide about a
 * call. If the host is gone, the runner counts the new limit from the arrival of this message.
 */
export interface ExtendMessage {
  readonly kind: 'extend';
  readonly execution_id: string;
  readonly time_limit_ms: number;
}

/**
 * Host to runner: this host takes over a sandbox that can outlive it, perhaps from another host. A
 * program that the other host left running is interrupted. From now on, the sandbox ends itself if
 * no program has run for `idle_limit_ms`.
 */
export interface AttachMessage {
  readonly kind: 'attach';
  /** Repeated in the answer, because the answer to an earlier host may still arrive. */
  readonly attach_id: string;
  readonly idle_limit_ms: number;
}

/** Host to runner: end. The end of standard input means the same. */
export interface ExitMessage {
  readonly kind: 'exit';
}

/** Runner to host, once: the runner accepts messages. */
export interface ReadyMessage {
  readonly kind: 'ready';
  readonly protocol: number;
  readonly language: string;
  /** The interpreter's version, such as `3.13.5`. */
  readonly version: string;
}

/** Runner to host: the answer to `configure`, when the language's interpreter has loaded. */
export interface ConfiguredMessage {
  readonly kind: 'configured';
  readonly language: string;
  /** The interpreter's version, such as `20.19.2`; null if there is none, or it does not tell. */
  readonly version: string | null;
}

/** Runner to host: the answer to `attach`, when no program is running. */
export interface AttachedMessage {
  readonly kind: 'attached';
  readonly attach_id: string;
  /** How many executions it has had. The id of the next one is one higher. */
  readonly executions: number;
  /** Whether a program was running. */
  readonly interrupted: boolean;
}

/** An output of a program or of a runner. */
export type OutputStream = 'stdout' | 'stderr';

/** Runner to host: the program printed. */
export interface OutputDeltaMessage {
  readonly kind: 'output-delta';
  readonly execution_id: string;
  readonly stream: OutputStream;
  readonly text: string;
  /** How many bytes before this text the runner left out. */
  readonly omitted_bytes: number;
}

/**
 * Runner to host: a part of an image that the program shows. The parts of an image follow one
 * another. Each has the limits of a call.
 */
export interface ImageMessage {
  readonly kind: 'image';
  readonly execution_id: string;
  /**
   * Bytes of the image in base64. All parts but the last have a multiple of 3 bytes, so that the
   * texts of all parts together are base64 too.
   */
  readonly data: string;
  /** Whether this is the last part of the image. */
  readonly last: boolean;
}

/**
 * Runner to host, only if `execute` asked for it: the program called `report`, so its caller should
 * look at its output now. The text of the report and all that it printed before were sent before.
 */
export interface ReportMessage {
  readonly kind: 'report';
  readonly execution_id: string;
}

/**
 * Runner to host, at most once in an execution and before its outcome: the program's value, from
 * `submit` or from its last expression. It has the limits of a call.
 */
export interface ValueMessage {
  readonly kind: 'value';
  readonly execution_id: string;
  /** Objects without prototypes. */
  readonly value: JsonValue;
}

/** Runner to host: the execution has ended. All its output was sent before. */
export interface OutcomeMessage {
  readonly kind: 'outcome';
  readonly execution_id: string;
  readonly success: boolean;
  /** The last expression's value as the language displays it; null if it has none. */
  readonly value: string | null;
  readonly error: ExecutionError | null;
  /** 0, or 1 after an error, or the status that the program passed to `sys.exit`. */
  readonly exit_code: number;
  /** Set if the interpreter has ended, so that the session's variables are gone. */
  readonly interpreter_end: InterpreterEnd | null;
  /**
   * The path of the directory with what the program left in `$OUTPUT_DIR`; null if it left nothing.
   */
  readonly outputs: string | null;
}

/** The program's own error, or the host's account of why it was ended. */
export interface ExecutionError {
  /** The class of the error, such as `KeyError`. */
  readonly type: string;
  readonly message: string;
  /** The line of the program that the error came from, counted from 1; null if there is none. */
  readonly line: number | null;
  /** The error as the language prints it, with only the program's own frames. */
  readonly traceback: string;
}

/** How an interpreter ended, as its supervisor observed it. */
export interface InterpreterEnd {
  readonly reason: 'exit' | 'signal' | 'memory' | 'killed';
  /** The exit status or the number of the signal. */
  readonly status: number;
}

/** What the host sends to a runner. */
export type HostMessage =
  | ConfigureMessage
  | ExecuteMessage
  | ToolResultMessage
  | CancelMessage
  | ExtendMessage
  | FileRequestMessage
  | FileCancelMessage
  | AttachMessage
  | ExitMessage;

/** What a runner sends to the host. */
export type RunnerMessage =
  | ReadyMessage
  | ConfiguredMessage
  | AttachedMessage
  | ToolCallMessage
  | CallGivenUpMessage
  | WaitingMessage
  | OutputDeltaMessage
  | ImageMessage
  | ReportMessage
  | ValueMessage
  | OutcomeMessage
  | FileAnswerMessage;
