import type { JsonObject } from '../shared/json/json.ts';
import type { Labels } from '../shared/labels.ts';
import type { ToolAnnotations } from './annotations.ts';
import type { MaxCalls, RepeatedCalls } from './limits/count-limits.ts';
import type { SessionFiles } from './session-files.ts';

/** The caller of a tool: a program, or the model by an ordinary tool call. */
export type ToolCaller = 'code' | 'direct';

/**
 * Whether something is checked: not at all (`off`), so that what is wrong is said (`warn`), or so
 * that it is refused (`error`). `checkResults` and `checkTypes` say to whom.
 */
export type CheckLevel = 'off' | 'warn' | 'error';

/** What the caller of a tool learns about an error: its message, or only that the tool failed. */
export type ErrorDetails = 'message' | 'none';

/**
 * What a call of a program does if an approver has to decide it: it waits for the decision (`wait`),
 * or it returns a receipt at once, and the decision comes when the program has ended (`defer`).
 */
export type WhenAsked = 'wait' | 'defer';

/** The origin of a call, the same for all calls of a program. */
export interface CallOrigin<Context = unknown> {
  /** The session of the calling program; undefined for a direct call. */
  readonly sessionId: string | undefined;
  /** The key of the session, or of the conversation's session; undefined if it has none. */
  readonly sessionKey: string | undefined;
  /**
   * In a conversation, its labels and those of the run. Otherwise the labels of the program, or of its
   * session if the program has none.
   */
  readonly labels: Labels;
  /**
   * The tenant: the value of the label that the executor's `fairBy` names. The calls of a tool with
   * `concurrency` have their turns by it. Undefined without `fairBy`, or if the label is missing.
   */
  readonly tenant?: string | undefined;
  /** The id of the orchestrator's run, or without one, of the program. */
  readonly runId: string;
  /**
   * The context that was passed with the program or run. No sandbox, event or audit log gets it.
   */
  readonly context: Context;
}

/** How far a call is. */
export interface ToolProgress {
  /** How much is done, in any unit. */
  readonly progress: number;
  /** How much there is to do, in the same unit. @default not known */
  readonly total?: number | undefined;
  /** What is being done, in one line for people. Cut after 1,000 characters. @default none */
  readonly message?: string | undefined;
}

/**
 * What a tool's function gets in addition to its arguments.
 * @typeParam Context - The type of the `context` that it needs.
 */
export interface ToolContext<Context = unknown> extends CallOrigin<Context> {
  /** Fires when the call's time is up, its program ends or the caller aborts. */
  readonly signal: AbortSignal;
  readonly caller: ToolCaller;
  /**
   * The files of the session of the calling program. A tool can give the program a large result as
   * a file, and its path as the result. Undefined for a direct call.
   */
  readonly files?: SessionFiles | undefined;
  /**
   * Reports how far the call is. Its `timeoutMs` begins again, and listeners get a `tool-call-progressed`
   * event, at most ten a second and the last report. Does nothing if nothing waits for the call any
   * more.
   * @throws PtcError `OPTION_INVALID` for what is not a report.
   */
  readonly progress: (report: ToolProgress) => void;
  /**
   * The id of the call within its program, or for a direct call, within its conversation. It comes
   * from the sandbox or the model: a call that is made again has another id, and a later program
   * may use an id again.
   */
  readonly callId: string;
}

/**
 * The options as the last argument, as a list of rest parameters: `(code: string, ...[options]:
 * OptionsArgument<ExecuteOptions, Context>)`. `context` is required and checked if the tools need a
 * `Context`. If they need none, it can be left out, or all options. If it is unknown what they need
 * (`never`), `context` can be anything.
 */
export type OptionsArgument<Options extends object, Context> = [Context] extends [never]
  ? [options?: Options]
  : unknown extends Context
    ? [options?: Options]
    : undefined extends Context
      ? [options?: Options & { readonly context?: Context }]
      : [options: Options & { readonly context: Context }];

/**
 * A tool with all defaults resolved, from `defineTool`. `Tool` without type arguments stands for any
 * tool.
 * @typeParam Context - The type of the `context` that it needs.
 * @typeParam Input - The type of the arguments that its function gets.
 * @typeParam Name - The type of its name.
 */
export interface Tool<Context = never, Input = never, Name extends string = string> {
  readonly name: Name;
  /**
   * The name of its function in programs: `name`, mapped if it is not an identifier or would hide a
   * builtin.
   */
  readonly identifier: string;
  readonly description: string;
  /** The JSON Schema (2020-12 or draft-07) of the arguments, which is always an object schema. */
  readonly inputSchema: JsonObject;
  /** The JSON Schema of the result. */
  readonly outputSchema: JsonObject | undefined;
  /**
   * The shape of earlier results as JSON Schema, of a tool without an output schema. Later results
   * may be different. Undefined if the registry was given none.
   */
  readonly observedSchema?: JsonObject | undefined;
  /** The description of the result. */
  readonly outputDescription: string | undefined;
  readonly inputExamples: readonly JsonObject[];
  /** As `ToolDefinition.strict`. */
  readonly strict: boolean | undefined;
  readonly allowedCallers: readonly ToolCaller[];
  /** What it says about its effects. A hint that it does not have is unknown. */
  readonly annotations: ToolAnnotations;
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
  /** How many calls may run at a time. Undefined if any number may. */
  readonly concurrency: number | undefined;
  /** How often it may be called. Undefined without a limit. */
  readonly maxCalls: MaxCalls | undefined;
  /** How often a program may make the same call. Undefined without a limit. */
  readonly repeatedCalls: RepeatedCalls | undefined;
  readonly errorDetails: ErrorDetails;
  /** As `ToolDefinition.whenAsked`. */
  readonly whenAsked: WhenAsked;
  /**
   * Whether it has no function: whoever started the program answers its calls. Undefined for false.
   * `timeoutMs` is how long a call waits for its answer.
   */
  readonly remote?: true | undefined;
  /**
   * Whether the model finds it by search instead of in its prompt. Undefined if it does not say so:
   * tools of a source are found by search, others are in the prompt.
   */
  readonly defer: boolean | undefined;
  /** Checks arguments, without changing them. */
  readonly validateInput: (value: unknown) => Validation;
  /** Checks a result, as it is after its way through JSON. Undefined without an output schema. */
  readonly validateResult: ((value: unknown) => Validation) | undefined;
  /** Runs the tool with validated arguments, within its limit of simultaneous calls. */
  readonly run: (input: Input, context: ToolContext<Context>) => Promise<unknown>;
}

export type Validation =
  /**
   * `value` is what the tool gets: what zod or another library returned for the arguments, or with
   * a JSON Schema, the unchanged arguments. For a schema of the AI SDK that validates
   * asynchronously, it is an object that stands for them until the tool runs.
   */
  | { readonly valid: true; readonly value: unknown }
  /** `message` names each wrong argument and what was expected. */
  | { readonly valid: false; readonly message: string };
