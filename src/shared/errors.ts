/** What can go wrong on the host. Codes are stable: programs may switch on them. docs/errors.md says what to do. */
export type PtcErrorCode =
  /** A tool's name, schema or option cannot be used. */
  | 'TOOL_INVALID'
  /** Two tools have one name, or names that become one identifier. */
  | 'TOOL_NAME_CLASH'
  /** A value cannot travel as JSON. `details.path` says which part of it. */
  | 'VALUE_NOT_JSON'
  /** An option has a value that cannot be used. */
  | 'OPTION_INVALID'
  /** A sandbox sent what the protocol does not allow. Its session has ended. */
  | 'PROTOCOL_VIOLATION'
  /** No engine that could run a sandbox answers. */
  | 'SANDBOX_UNAVAILABLE'
  /** An engine answers, but the sandbox did not start. */
  | 'SANDBOX_START_FAILED'
  /** A file of this package or a package that it needs cannot be loaded: it was bundled, or installed in part. */
  | 'INSTALLATION_INCOMPLETE'
  /** The container image is not there and could not be built or found. */
  | 'IMAGE_UNAVAILABLE'
  /** The sandbox is gone: killed, crashed, or its engine died. */
  | 'SANDBOX_LOST'
  /** No session has this id. */
  | 'SESSION_NOT_FOUND'
  /** Programs are to be type-checked, and the package that does it is missing or of the wrong version. */
  | 'TYPE_CHECKER_MISSING'
  /** The engine does not run all the languages that programs may be written in. `details.languages` has the others. */
  | 'LANGUAGE_UNSUPPORTED'
  /** A persistent session was asked for where sandboxes end with their process. */
  | 'PERSISTENCE_UNSUPPORTED'
  /** The session was not used for longer than its time to live. */
  | 'SESSION_EXPIRED'
  /** Another process or executor of this machine holds the session of this key. */
  | 'SESSION_HELD'
  /** No directory can be had that is this user's alone, in which processes could tell each other what they hold. */
  | 'NAMES_UNAVAILABLE'
  /** As many sandboxes run as may, and none became free in time. */
  | 'SANDBOX_LIMIT'
  /** The session, executor or orchestrator was closed. */
  | 'CLOSED'
  /** The caller's `AbortSignal` fired. */
  | 'ABORTED'
  /** Another process has the audit log, or its file cannot be opened or written. */
  | 'AUDIT_LOG_UNAVAILABLE'
  /** A file does not end as an audit log does, so that none goes on with it. */
  | 'AUDIT_LOG_INVALID'
  /** The model's service refused the key or the credentials. */
  | 'MODEL_AUTHENTICATION_FAILED'
  /** The model's service is over its limits (429, 529) and stayed so through the retries. */
  | 'MODEL_OVERLOADED'
  /** The model's service refused the request or broke while it answered. */
  | 'MODEL_REQUEST_FAILED'
  /**
   * The model's service cannot take a block of the input or of the conversation. Nothing was sent. `details` has its
   * place (`input`, or `message` and `block`), its `type` and its `mediaType`.
   */
  | 'MODEL_INPUT_UNSUPPORTED'
  /** The answer that an adapter gives is not made of blocks that can be used. Nothing of it was run. */
  | 'MODEL_ANSWER_INVALID'
  /** The answer ended before it was complete. Nothing of it was run. */
  | 'MODEL_STREAM_CUT'
  /** The model declined to answer. With Anthropic's services, `details.stopDetails` may say why. */
  | 'MODEL_REFUSED'
  /** The model stopped for a reason this version does not know. */
  | 'MODEL_STOP_UNKNOWN'
  /** The answer reached the token limit before it was complete. */
  | 'MODEL_OUTPUT_LIMIT'
  /** The conversation is longer than the model can read, and could not be made shorter. Asking again cannot help. */
  | 'MODEL_CONTEXT_EXCEEDED'
  /** The final answer does not match the schema of `output`, also when the model was asked again. `details` has its `text` and the `reason`. */
  | 'OUTPUT_INVALID'
  /** `RunResult.output` was read, and `stopWhen` had ended the run before the model answered. */
  | 'OUTPUT_MISSING'
  /** The conversation used up its model turns. */
  | 'ITERATION_LIMIT'
  /** A run of a conversation reached `maxToolCalls`, `maxTotalTokens` or `maxCost`: `details.limit` says which. */
  | 'RUN_LIMIT'
  /** A run of a conversation took longer than its `timeLimitMs`. */
  | 'RUN_TIMEOUT'
  /** What a run was given to say is neither a text nor a list of blocks that can be sent. `details.input` is the index of the block. */
  | 'INPUT_INVALID'
  /** A conversation's document or messages cannot be used. The message says what is wrong with them. */
  | 'CONVERSATION_INVALID'
  /** A conversation was changed elsewhere since it was read, so that nothing was written. Read it again. */
  | 'CONVERSATION_CONFLICT'
  /** The messages of a conversation were set while a run or a reset of it was under way. They are as they were. */
  | 'CONVERSATION_BUSY'
  /** A conversation's store could not be read or written. `cause` is its error. */
  | 'STORE_FAILED'
  /** A run of a conversation ended by an error that is not of this package, such as one of your own model. `cause` is it. */
  | 'RUN_FAILED';

export interface PtcErrorOptions {
  /** Facts about the failure, for programs. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** What caused it. */
  readonly cause?: unknown;
}

const marker = Symbol.for('sandboxed-ptc.error');

/**
 * A fault of the host: a missing engine, an unknown session, a broken model connection.
 * Failures of generated code are never errors; they are an `ExecutionResult`.
 * The message says what happened and what to do next.
 */
export class PtcError extends Error {
  override readonly name = 'PtcError';
  readonly code: PtcErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: PtcErrorCode, message: string, options: PtcErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    Object.defineProperty(this, marker, { value: true });
  }

  /** True for errors of any copy of this package, where `instanceof` only knows its own. */
  static isInstance(value: unknown): value is PtcError {
    return typeof value === 'object' && value !== null && marker in value;
  }
}

/** The same error with more details: its cause and its stack, which says where it was made, are those of the error. */
export function withDetails(error: PtcError, details: PtcErrorOptions['details']): PtcError {
  const { code, message, cause, stack } = error;
  const detailed = new PtcError(code, message, {
    details: { ...error.details, ...details },
    cause,
  });
  return Object.assign(detailed, { stack });
}

/** Whatever was thrown, as an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(messageOf(thrown));
}

/** The text of whatever was thrown, for messages. Never throws itself. */
export function messageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) {
      // Whatever its type says: anything can be assigned to it.
      const message: unknown = thrown.message || thrown.name;
      return String(message);
    }
    return typeof thrown === 'string' ? thrown : `${String(thrown)} was thrown`;
  } catch {
    return 'a value that cannot be shown was thrown';
  }
}
