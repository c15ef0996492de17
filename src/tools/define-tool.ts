import PQueue from 'p-queue';
import { PtcError, messageOf } from '../shared/errors.ts';
import { throwIfIncomplete } from '../shared/installation.ts';
import { toJsonText, type JsonObject } from '../shared/json.ts';
import { inTurn } from '../shared/turn.ts';
import { checkToolName, toIdentifier } from './names.ts';
import { warnOfSlowPatterns } from './slow-pattern.ts';
import {
  resolveInputSchema,
  resolveOutputSchema,
  type JsonSchemaSource,
  type SchemaSource,
  type TypedSchema,
} from './schema.ts';
import type { StandardSchema } from './standard-schema.ts';
import type { ErrorDetails, Tool, ToolCaller, ToolContext, Validation } from './tool.ts';

/**
 * A tool as its author writes it.
 * @typeParam Context - What its callers have to pass as `context` with a run.
 */
export interface ToolDefinition<
  Schema extends SchemaSource = SchemaSource,
  Input = unknown,
  Context = unknown,
> {
  /** Up to 128 characters. In generated code, what is no identifier is mapped: `expense:list` to `expense_list`. */
  readonly name: string;
  /** What it does and when to use it, for the model. */
  readonly description: string;
  /** An object schema of the arguments. @default no arguments */
  readonly inputSchema?: Schema;
  /** A schema of the result. It is documentation: results are not checked by it. */
  readonly outputSchema?: SchemaSource;
  /** What the result is, in words: fields, units, order. Code can only use what it knows of. */
  readonly outputDescription?: string;
  /** Arguments as they should look. */
  readonly inputExamples?: readonly object[];
  /** Who may call it. @default ['code'] */
  readonly allowedCallers?: readonly ToolCaller[];
  /** How long one call may take, in milliseconds. @default 30000 */
  readonly timeoutMs?: number;
  /**
   * How many calls of it may run at the same time; more wait. One whose signal has fired counts until `run` has settled,
   * or for `timeoutMs` from its start. @default unlimited
   */
  readonly concurrency?: number;
  /**
   * Whether the caller is told the message of what `run` threw. With `none` it is told that the tool
   * failed, and only the host's listeners get the message. @default 'message'
   */
  readonly errorDetails?: ErrorDetails;
  /**
   * Does the work; may be synchronous. Gets the arguments after the schema's transforms.
   * What it returns must be JSON; what it throws reaches the code as a `ToolError`.
   */
  run(input: Input, context: ToolContext<Context>): unknown;
}

/** What a schema of zod or another library makes of a value. */
export type OutputOf<Schema> = Schema extends { readonly _zod: { readonly output: infer Output } }
  ? Output
  : Schema extends { readonly _output: infer Output }
    ? Output
    : Schema extends StandardSchema<infer Output>
      ? Output
      : never;

const noArguments = { type: 'object', properties: {}, additionalProperties: false } as const;

const knownCallers: ReadonlySet<unknown> = new Set<ToolCaller>(['code', 'direct']);

/**
 * Makes a tool of a definition.
 * @throws PtcError `TOOL_INVALID`, saying what is wrong with the definition.
 */
export function defineTool<Schema extends TypedSchema, Context = unknown>(
  definition: ToolDefinition<Schema, OutputOf<Schema>, Context> & { readonly inputSchema: Schema },
): Tool<Context>;
export function defineTool<Input = JsonObject, Context = unknown>(
  definition: ToolDefinition<JsonSchemaSource, Input, Context>,
): Tool<Context>;
export function defineTool(definition: ToolDefinition): Tool {
  return toTool(definition);
}

/** `defineTool` for definitions whose types are not known, such as those that a registry gets. */
export function toTool<Context>(
  definition: ToolDefinition<SchemaSource, unknown, Context>,
): Tool<Context> {
  if (typeof definition !== 'object' || definition === null) {
    throw new PtcError(
      'TOOL_INVALID',
      `A tool is an object with name, description and run, but this is ${String(definition)}.`,
    );
  }
  checkToolName(definition.name);
  try {
    return resolve(definition);
  } catch (error) {
    throwIfIncomplete(error);
    const message = `Tool ${JSON.stringify(definition.name)}: ${messageOf(error)}`;
    throw new PtcError('TOOL_INVALID', message, {
      details: { tool: definition.name },
      cause: PtcError.isInstance(error) ? error.cause : error,
    });
  }
}

function resolve<Context>(
  definition: ToolDefinition<SchemaSource, unknown, Context>,
): Tool<Context> {
  const { name, description, outputDescription } = definition;
  const { timeoutMs = 30_000, errorDetails = 'message' } = definition;
  if (typeof description !== 'string' || description.trim() === '') {
    throw invalid('description must be text that tells the model what the tool does.');
  }
  if (outputDescription !== undefined && typeof outputDescription !== 'string') {
    throw invalid('outputDescription must be text.');
  }
  if (typeof definition.run !== 'function') {
    throw invalid(
      `run must be a function (input, context) => result, not ${typeof definition.run}.`,
    );
  }
  // Longer delays than 2^31 - 1 ms make a Node timer fire at once.
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0 && timeoutMs < 2 ** 31)) {
    throw invalid(
      `timeoutMs must be more than 0 and less than 2147483648, not ${String(timeoutMs)}.`,
    );
  }
  if (errorDetails !== 'message' && errorDetails !== 'none') {
    throw invalid(`errorDetails must be 'message' or 'none', not ${String(errorDetails)}.`);
  }
  const { jsonSchema, validate, unboundedPatterns } = resolveInputSchema(
    definition.inputSchema ?? noArguments,
  );
  warnOfSlowPatterns(name, unboundedPatterns);
  return Object.freeze({
    name,
    identifier: toIdentifier(name),
    description,
    inputSchema: jsonSchema,
    outputSchema:
      definition.outputSchema === undefined
        ? undefined
        : resolveOutputSchema(definition.outputSchema),
    outputDescription,
    inputExamples: checkedExamples(definition.inputExamples, validate),
    allowedCallers: checkedCallers(definition.allowedCallers),
    timeoutMs,
    errorDetails,
    validateInput: validate,
    run: limitedRun(definition, timeoutMs),
  });
}

function checkedCallers(callers: readonly ToolCaller[] | undefined): readonly ToolCaller[] {
  if (callers === undefined) return Object.freeze(['code'] as const);
  if (!Array.isArray(callers) || callers.length === 0) {
    throw invalid("allowedCallers must be an array with 'code', 'direct' or both.");
  }
  const unknown: unknown = callers.find((caller) => !knownCallers.has(caller));
  if (unknown !== undefined) {
    throw invalid(
      `allowedCallers has the unknown caller ${JSON.stringify(unknown)}; use 'code', 'direct' or both.`,
    );
  }
  return Object.freeze([...new Set(callers)]);
}

function checkedExamples(
  examples: readonly object[] | undefined,
  validate: (value: unknown) => Validation,
): readonly JsonObject[] {
  if (examples === undefined) return Object.freeze([]);
  if (!Array.isArray(examples)) throw invalid('inputExamples must be an array of arguments.');
  const copies = examples.map((example, index) => {
    const copy = JSON.parse(toJsonText(example)) as JsonObject;
    const validation = validate(copy);
    if (!validation.valid) {
      throw invalid(
        `inputExamples[${index}] does not satisfy the input schema:\n${validation.message}`,
      );
    }
    return copy;
  });
  return Object.freeze(copies);
}

/** The definition's `run` as an async function that keeps its limit of simultaneous calls. */
function limitedRun<Context>(
  definition: ToolDefinition<SchemaSource, unknown, Context>,
  timeoutMs: number,
): Tool<Context>['run'] {
  const { concurrency } = definition;
  const run = async (input: unknown, context: ToolContext<Context>): Promise<unknown> =>
    definition.run(input, context);
  if (concurrency === undefined) return run;
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw invalid(`concurrency must be a whole number from 1, not ${String(concurrency)}.`);
  }
  const queue = new PQueue({ concurrency });
  // A call whose signal has fired leaves the queue. One that runs counts until it has ended or its time is over: a
  // program can have the signal fire, and a tool may ignore it.
  return async (input, context) =>
    inTurn(queue, async () => withinTime(run(input, context), timeoutMs), {
      signal: context.signal,
    });
}

/** Settles with the work, or rejects when its time is over. */
async function withinTime(work: Promise<unknown>, timeoutMs: number): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const timeIsOver = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    // The caller has a deadline of its own.
    timer.unref();
  });
  try {
    return await Promise.race([work, timeIsOver]);
  } finally {
    clearTimeout(timer);
  }
}

function invalid(message: string): PtcError {
  return new PtcError('TOOL_INVALID', message);
}
