import { types } from 'node:util';

/**
 * What can go wrong on the host. Codes are stable, so your code can compare them. docs/errors.md
 * says more about each.
 */
export type PtcErrorCode =
  /**
   * A tool's name, schema or other field cannot be used. Change the field that the message names.
   */
  | 'TOOL_INVALID'
  /** Two tools have the same name, or names that become the same function. Rename one of them. */
  | 'TOOL_NAME_CLASH'
  /** A schema or result cannot be written as JSON. Change the part that `details.path` names. */
  | 'VALUE_NOT_JSON'
  /** An option has a value that cannot be used. Change the option that the message names. */
  | 'OPTION_INVALID'
  /** A sandbox broke the protocol. Its session has ended. Assume that its program is hostile. */
  | 'PROTOCOL_VIOLATION'
  /** The provider does not work on this machine. Start Docker, or see what `doctor` says. */
  | 'SANDBOX_UNAVAILABLE'
  /** The provider works, but the sandbox did not start. The message says what it printed. */
  | 'SANDBOX_START_FAILED'
  /** A file or dependency of this package is missing. Install it again, or do not bundle it. */
  | 'INSTALLATION_INCOMPLETE'
  /** The container image is missing. Pull or build the image that the message names. */
  | 'IMAGE_UNAVAILABLE'
  /** The sandbox was killed or crashed, or its engine ended. Run again: another one starts. */
  | 'SANDBOX_LOST'
  /** No session has this id. Acquire its key again, or acquire another session. */
  | 'SESSION_NOT_FOUND'
  /**
   * The package `typescript`, which `checkTypes` needs, is missing or has the wrong version. Install
   * the version that the message names.
   */
  | 'TYPE_CHECKER_MISSING'
  /** The provider does not run the languages in `details.languages`. Use another provider. */
  | 'LANGUAGE_UNSUPPORTED'
  /** Sandboxes of this provider end with their process. Use Docker or Kubernetes for persistent sessions. */
  | 'PERSISTENCE_UNSUPPORTED'
  /**
   * The call of a remote tool has an answer, took too long, or never was. `details.callId` names it.
   * Answer each call that `HeldProgram.next` reports once.
   */
  | 'CALL_NOT_OPEN'
  /**
   * The batch of an `ApprovalQueue` was decided, expired or cancelled, or never was. `details.id` names
   * it, and `details.state` says which. Decide those that `pendingBatches` lists.
   */
  | 'APPROVAL_NOT_OPEN'
  /** Another `next` of this `HeldProgram` waits. Await it, or end it by its signal. */
  | 'NEXT_PENDING'
  /**
   * Something could not be done with a file of a sandbox. `details` has the `operation`, the `path`
   * and the name of the system error, `errno`. The message says what to do.
   */
  | 'FILE_FAILED'
  /** The session was not used for longer than `sessionIdleTimeoutMs`. Acquire it again. */
  | 'SESSION_EXPIRED'
  /** Another process or executor on this machine uses the session of this key. Set `sessionWaitMs`. */
  | 'SESSION_HELD'
  /** No directory exists that only this user can enter. Set `XDG_RUNTIME_DIR` to one. */
  | 'NAMES_UNAVAILABLE'
  /**
   * `maxSandboxes` sandboxes exist, and none became free in time. Release sessions, or raise it.
   */
  | 'SANDBOX_LIMIT'
  /**
   * A tenant reached a quota. `details` has the `label`, the `tenant`, the `quota` and its `limit`,
   * and for programs a minute `retryAfterMs`. Try again later, or raise the quota.
   */
  | 'QUOTA_EXCEEDED'
  /** The session, executor, provider or orchestrator was closed. Create a new one. */
  | 'CLOSED'
  /** Your `signal` fired. Its reason is the `cause`. */
  | 'ABORTED'
  /**
   * Another process has the audit log, or its file cannot be opened or written. Use another file.
   */
  | 'AUDIT_LOG_UNAVAILABLE'
  /**
   * The file does not end like an audit log, so it cannot be continued. Verify it, then move it.
   */
  | 'AUDIT_LOG_INVALID'
  /** The model's service refused the API key or the credentials, or none are set. Set them. */
  | 'MODEL_AUTHENTICATION_FAILED'
  /** The model's service is over its limits (429, 529), even after retries. Try again later. */
  | 'MODEL_OVERLOADED'
  /** The model's service refused the request or failed while it answered. Read the message. */
  | 'MODEL_REQUEST_FAILED'
  /**
   * The model's service does not accept a block of the input or of the conversation. Nothing was
   * sent. `details` has its place (`input`, or `message` and `block`), its `type` and its
   * `mediaType`. Send it in another form.
   */
  | 'MODEL_INPUT_UNSUPPORTED'
  /**
   * The adapter returned blocks that cannot be used. None of them was run. Correct its `stream`.
   */
  | 'MODEL_ANSWER_INVALID'
  /** The answer ended before it was complete. Nothing of it was run. Run again. */
  | 'MODEL_STREAM_CUT'
  /**
   * The model declined to answer. For Anthropic, `details.stopDetails` may say why. Ask
   * differently.
   */
  | 'MODEL_REFUSED'
  /** The model stopped for a reason that this version does not know: `details.stopReason`. */
  | 'MODEL_STOP_UNKNOWN'
  /** The answer reached `maxTokens` before it was complete. Raise `maxTokens`, or ask for less. */
  | 'MODEL_OUTPUT_LIMIT'
  /** The conversation is longer than the model can read, and could not be shortened. Shorten it. */
  | 'MODEL_CONTEXT_EXCEEDED'
  /**
   * The answer does not match the schema of `output`, even after the model was asked again.
   * `details` has its `text` and the `reason`. Make the schema simpler.
   */
  | 'OUTPUT_INVALID'
  /**
   * The model gave no answer within `maxTurns` turns. Run again to continue, or raise the limit.
   */
  | 'TURN_LIMIT'
  /**
   * The run reached `maxToolCalls`, `maxTotalTokens` or `maxCost`, which `details.limit` names. Run
   * again to continue, or raise the limit.
   */
  | 'RUN_LIMIT'
  /** The run took longer than `runTimeoutMs`. Run again to continue, or raise the limit. */
  | 'RUN_TIMEOUT'
  /**
   * The input is neither a text nor a list of blocks that can be sent. `details.input` is the index
   * of the block. Change it.
   */
  | 'INPUT_INVALID'
  /** A document or messages of a conversation cannot be used. The message says why. */
  | 'CONVERSATION_INVALID'
  /** The conversation was changed elsewhere since it was read. Nothing was written. Run again. */
  | 'CONVERSATION_CONFLICT'
  /** `messages` was set during a run or a reset, and stays as it was. Set it afterwards. */
  | 'CONVERSATION_BUSY'
  /**
   * The conversation's store could not be read or written. `cause` is its error. Repair the store.
   */
  | 'STORE_FAILED'
  /**
   * The package `@modelcontextprotocol/client`, which `mcpTools` needs, is missing or cannot be
   * loaded. Install it.
   */
  | 'MCP_CLIENT_MISSING'
  /**
   * An MCP server could not be started or reached, refused the login, or broke the protocol. The
   * message says what to do; `details.server` is its name.
   */
  | 'MCP_SERVER_FAILED'
  /**
   * A person has to log in to an MCP server, with the `provider` of its option `auth`. Connect again
   * afterwards. `details.server` is its name.
   */
  | 'MCP_LOGIN_REQUIRED'
  /**
   * A package that `mcpServer` needs, `@modelcontextprotocol/server` or `@modelcontextprotocol/node`,
   * is missing or cannot be loaded. Install the one that the message names.
   */
  | 'MCP_SERVER_MISSING'
  /**
   * An error from outside this package ended the run, such as one from your own model or hook. It
   * is the `cause`. Correct the code that threw it.
   */
  | 'RUN_FAILED';

export interface PtcErrorOptions {
  /** Facts about the failure, for your code. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** The error that caused this one. */
  readonly cause?: unknown;
}

const marker = Symbol.for('sandboxed-ptc.error');

/**
 * A failure on the host: an engine that does not answer, an unknown session, a broken connection to
 * a model. The message says what happened and what to do. The failure of a program is never thrown:
 * it is an `ExecutionResult`.
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

  /**
   * Whether a value is a `PtcError`, from any installed copy of this package. `instanceof`
   * recognizes only errors of its own copy.
   */
  static isInstance(value: unknown): value is PtcError {
    try {
      return typeof value === 'object' && value !== null && marker in value;
    } catch {
      // A revoked proxy, for example, which code can throw too.
      return false;
    }
  }

  /**
   * For `JSON.stringify`, which leaves the message of an error out. The cause and the stack are not
   * part of it, because they can contain paths of this machine.
   */
  toJSON(): Pick<PtcError, 'name' | 'code' | 'message' | 'details'> {
    const { name, code, message, details } = this;
    return { name, code, message, details };
  }
}

/** A copy of the error with more details. It keeps the cause and the stack of the original. */
export function withDetails(error: PtcError, details: PtcErrorOptions['details']): PtcError {
  const { code, message, cause, stack } = error;
  const detailed = new PtcError(code, message, {
    details: { ...error.details, ...details },
    cause,
  });
  return Object.assign(detailed, { stack });
}

/** Makes an error of a thrown value, unless it is one. */
export function asError(thrown: unknown): Error {
  try {
    if (thrown instanceof Error) return thrown;
  } catch {
    // It cannot be shown either.
  }
  return new Error(messageOf(thrown));
}

/** The message of a thrown value. Never throws. */
export function messageOf(thrown: unknown): string {
  try {
    // One of another realm, such as of a `vm` context, is not an instance.
    if (thrown instanceof Error || types.isNativeError(thrown)) {
      // Converted despite its type: code can assign any value to it.
      const message: unknown = thrown.message || thrown.name;
      return String(message);
    }
    return typeof thrown === 'string' ? thrown : `${String(thrown)} was thrown`;
  } catch {
    return 'a value that cannot be shown was thrown';
  }
}
