import type { JsonObject } from '../shared/json.ts';

/** Who may call a tool: generated code, or the model by an ordinary tool call. */
export type ToolCaller = 'code' | 'direct';

/** What the caller of a tool is told where it fails: the message of what it threw, or only that it failed. */
export type ErrorDetails = 'message' | 'none';

/** Whose a call is: the same for all calls of a run. */
export interface CallOrigin<Context = unknown> {
  /** The session whose code calls; undefined for a direct call. */
  readonly sessionId: string | undefined;
  /** The key of the session, or of the conversation's session; undefined if it has none. */
  readonly sessionKey: string | undefined;
  /** The labels of the session or the conversation, and over them those of the run. */
  readonly labels: Readonly<Record<string, string>>;
  /** Which run: of a program, or of an orchestrator if it has the program run. */
  readonly runId: string;
  /** What the caller passed with the run. No sandbox, event or audit log gets it. */
  readonly context: Context;
}

/**
 * What a tool's function gets beside its arguments.
 * @typeParam Context - What its callers pass as `context` with a run.
 */
export interface ToolContext<Context = unknown> extends CallOrigin<Context> {
  /** Fires when the call's time is up, the run ends or the caller aborts. */
  readonly signal: AbortSignal;
  readonly caller: ToolCaller;
  /**
   * Which call of its run or, for a direct call, of its conversation. It comes from the sandbox or the
   * model: a call that is made again has another id, and a later run may use one again.
   */
  readonly callId: string;
}

/**
 * The options of a run, as its last argument. `context` is required and checked if the tools need a `Context`; it may be
 * left out, with all options, if they need none. If it is not known what they need, which `never` stands for, it may be
 * anything.
 */
export type RunArgument<Options extends object, Context> = [Context] extends [never]
  ? [options?: Options]
  : unknown extends Context
    ? [options?: Options]
    : undefined extends Context
      ? [options?: Options & { readonly context?: Context }]
      : [options: Options & { readonly context: Context }];

/**
 * A registered tool: everything resolved, nothing optional left to guess. Made by `defineTool`.
 * @typeParam Context - What its callers have to pass as `context` with a run. `Tool` without it is any tool, whatever it
 * needs.
 */
export interface Tool<Context = never> {
  readonly name: string;
  /** The name of its function in generated code: `name`, mapped where that is no identifier or would shadow a builtin. */
  readonly identifier: string;
  readonly description: string;
  /** JSON Schema (2020-12 or draft-07) of the arguments: always an object schema. */
  readonly inputSchema: JsonObject;
  /** JSON Schema of the result. */
  readonly outputSchema: JsonObject | undefined;
  /** What the result is, in words. */
  readonly outputDescription: string | undefined;
  readonly inputExamples: readonly JsonObject[];
  readonly allowedCallers: readonly ToolCaller[];
  readonly timeoutMs: number;
  readonly errorDetails: ErrorDetails;
  /** Checks arguments; never changes what it is given. */
  readonly validateInput: (value: unknown) => Validation;
  /** Runs the tool under its concurrency limit, with arguments that have been validated. */
  readonly run: (input: never, context: ToolContext<Context>) => Promise<unknown>;
}

export type Validation =
  /** `value` is what the tool gets: what zod made of the arguments, or under JSON Schema the arguments as they came. */
  | { readonly valid: true; readonly value: unknown }
  /** `message` names each bad argument and what was expected. */
  | { readonly valid: false; readonly message: string };
