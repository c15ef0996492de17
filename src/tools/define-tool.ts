import { checkOptionNames, type OptionsObject } from '../shared/options/option-names.ts';
import { checkOneOf, invalidOption } from '../shared/options/option-values.ts';
import { PtcError, messageOf } from '../shared/errors.ts';
import { throwIfIncomplete } from '../shared/installation.ts';
import { toJsonText, type JsonObject } from '../shared/json/json.ts';
import { checkAnnotations, type ToolAnnotations } from './annotations.ts';
import { timeLimitsOf } from './limits/call-deadline.ts';
import { COUNT_LIMIT_NAMES, countLimitsOf, type CountLimits } from './limits/count-limits.ts';
import { checkedCallers, checkWhenAsked } from './callers.ts';
import { describeTool } from './describe-tool.ts';
import { limitedRun } from './limits/limited-run.ts';
import { toIdentifier } from './names.ts';
import { warnOfSlowPatterns } from './patterns/slow-pattern.ts';
import {
  resolveInputSchema,
  resolveOutputSchema,
  type Compile,
  type JsonSchemaSource,
  type SchemaSource,
  type TypedSchema,
} from './schema/schema.ts';
import type { StandardSchema } from './schema/standard-schema.ts';
import type { ErrorDetails, Tool, ToolCaller, ToolContext, Validation, WhenAsked } from './tool.ts';

/**
 * The definition of a tool.
 * @typeParam Context - The type of the `context` that its `run` needs.
 */
export interface ToolDefinition<
  Schema extends SchemaSource = SchemaSource,
  Input = unknown,
  Context = unknown,
> extends CountLimits {
  /**
   * Up to 128 characters. If it is not an identifier, programs use a mapped name: `expense:list`
   * becomes `expense_list`.
   */
  readonly name: string;
  /** What the tool does and when to use it, for the model. */
  readonly description: string;
  /** An object schema of the arguments. @default no arguments */
  readonly inputSchema?: Schema;
  /**
   * A schema of the result, which the model reads. The option `checkResults` of the executor says
   * whether results are checked against it.
   */
  readonly outputSchema?: SchemaSource;
  /**
   * A description of the result: its fields, units and order. Programs can use only what the model
   * knows about it.
   */
  readonly outputDescription?: string;
  /** Examples of arguments. */
  readonly inputExamples?: readonly object[];
  /**
   * For direct calls: whether the service of the model must make the arguments match the schema. With
   * true, most services refuse schemas with keywords that they do not support, and objects without
   * `additionalProperties: false`. Arguments are checked against the schema in any case.
   * @default the service decides
   */
  readonly strict?: boolean;
  /**
   * Whether programs (`code`), the model itself (`direct`) or both may call it.
   * @default ['code']
   */
  readonly allowedCallers?: readonly ToolCaller[];
  /** What it says about its effects, for the rules of a policy. @default every hint is unknown */
  readonly annotations?: ToolAnnotations;
  /**
   * How long a call may take, in milliseconds. If it reports progress (`context.progress`), the time
   * begins again.
   * @default 30000
   */
  readonly timeoutMs?: number;
  /**
   * How long a call that reports progress may take in total, in milliseconds.
   * @default ten times `timeoutMs`
   */
  readonly maxTimeoutMs?: number;
  /**
   * How many calls may run at a time. Further calls wait. A call whose signal has fired counts
   * until `run` settles or its time is up.
   * @default unlimited
   */
  readonly concurrency?: number;
  /**
   * How much the caller learns about an error: with `message`, the message of what `run` threw;
   * with `none`, only that the tool failed. The host's listeners always get the message.
   * @default 'message'
   */
  readonly errorDetails?: ErrorDetails;
  /**
   * What a call of a program does if the policy asks an approver about it. With `defer`, it returns
   * the receipt `{ deferred: true, number }` at once. When the program has ended well, the approver
   * decides all its deferred calls, and the approved ones are made in order. If the program fails or
   * is stopped, none is made. For tools whose results programs do not need. A call about which
   * nobody is asked, and a direct call, is made as usual.
   * @default 'wait'
   */
  readonly whenAsked?: WhenAsked;
  /**
   * Whether the model finds the tool by search instead of in its prompt, if the option `catalog`
   * says that there is search. @default false, or for a tool of a source, what the source says
   */
  readonly defer?: boolean;
  /**
   * Does the work. May be synchronous. Gets the arguments after the schema's transforms. It must
   * return JSON. What it throws becomes a `ToolError` in the program.
   */
  run(input: Input, context: ToolContext<Context>): unknown;
}

/**
 * A tool, or the definition of one.
 * @typeParam Context - The type of the `context` that it needs.
 */
export type ToolOrDefinition<Context = never> =
  | Tool<Context>
  | ToolDefinition<SchemaSource, unknown, Context>;

/** The type of what a schema of zod or another library returns for a value. */
export type OutputOf<Schema> = Schema extends { readonly _zod: { readonly output: infer Output } }
  ? Output
  : Schema extends { readonly _output: infer Output }
    ? Output
    : Schema extends StandardSchema<infer Output>
      ? Output
      : never;

export const DEFINITION: Omit<OptionsObject<ToolDefinition>, 'of'> = {
  names: {
    name: true,
    description: 'text',
    inputSchema: true,
    outputSchema: true,
    outputDescription: 'text',
    inputExamples: 'array',
    strict: 'boolean',
    allowedCallers: true,
    annotations: true,
    timeoutMs: true,
    maxTimeoutMs: true,
    concurrency: true,
    ...COUNT_LIMIT_NAMES,
    errorDetails: true,
    whenAsked: true,
    defer: 'boolean',
    run: 'function',
  },
  page: 'docs/tools.md',
  otherWords: {
    parameters: 'inputSchema',
    input_schema: 'inputSchema',
    schema: 'inputSchema',
    output_schema: 'outputSchema',
    execute: 'run',
    handler: 'run',
    func: 'run',
    timeout: 'timeoutMs',
    callers: 'allowedCallers',
    caller: 'allowedCallers',
    readOnlyHint: 'annotations',
    destructiveHint: 'annotations',
  },
  required: ['run'],
  code: 'TOOL_INVALID',
  isOpen: 'if of a class',
};

/** Of tools without an input schema. They share it, because to compile a schema takes longer than the rest of a tool. */
const noArguments = resolveInputSchema(
  { type: 'object', properties: {}, additionalProperties: false },
  { compile: 'first call', onPatterns: () => {} },
);

/**
 * Creates a tool from a definition.
 * @throws PtcError `TOOL_INVALID`. The message says what is wrong with the definition.
 */
export function defineTool<
  Schema extends TypedSchema,
  Context = unknown,
  Name extends string = string,
>(
  definition: ToolDefinition<Schema, OutputOf<Schema>, Context> & {
    readonly name: Name;
    readonly inputSchema: Schema;
  },
): Tool<Context, OutputOf<Schema>, Name>;
export function defineTool<Input = JsonObject, Context = unknown, Name extends string = string>(
  definition: ToolDefinition<JsonSchemaSource, Input, Context> & { readonly name: Name },
): Tool<Context, Input, Name>;
export function defineTool(definition: ToolDefinition): Tool {
  return toTool(definition);
}

/** Whether a tool was made by `defineTool`, and is not a definition of one. */
export function isTool<Context>(value: ToolOrDefinition<Context>): value is Tool<Context> {
  return typeof value === 'object' && value !== null && 'validateInput' in value;
}

/**
 * `defineTool` for definitions of unknown types, such as those passed to a registry.
 * @param compile - When JSON Schemas are compiled, which takes milliseconds for each. One that cannot
 *   be compiled is refused `now`, or else with each call. Examples are checked with it.
 */
export function toTool<Context>(
  definition: ToolDefinition<SchemaSource, unknown, Context>,
  compile: Compile = 'now',
): Tool<Context> {
  checkOptionNames(definition, { ...DEFINITION, of: describeTool(definition) });
  try {
    return resolve(definition, compile);
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
  compile: Compile,
): Tool<Context> {
  const { name, description, outputDescription } = definition;
  const { errorDetails = 'message', whenAsked = 'wait', annotations: hints = {} } = definition;
  if (typeof description !== 'string' || description.trim() === '') {
    const expected = 'text that tells the model what the tool does';
    throw invalidOption('description', description, expected);
  }
  const limits = timeLimitsOf(definition);
  const annotations = checkAnnotations(hints, { of: 'annotations', page: DEFINITION.page });
  checkOneOf('errorDetails', errorDetails, ['message', 'none']);
  const allowedCallers = checkedCallers(definition.allowedCallers);
  checkWhenAsked(whenAsked, allowedCallers);
  const { inputSchema, outputSchema, inputExamples, strict } = definition;
  const onPatterns = (unbounded: readonly RegExp[]): void => warnOfSlowPatterns(name, unbounded);
  const { jsonSchema, validate } =
    inputSchema === undefined
      ? noArguments
      : resolveInputSchema(inputSchema, { compile, onPatterns });
  const output =
    outputSchema === undefined ? undefined : resolveOutputSchema(outputSchema, compile);
  return Object.freeze({
    name,
    identifier: toIdentifier(name),
    description,
    inputSchema: jsonSchema,
    outputSchema: output?.jsonSchema,
    outputDescription,
    inputExamples: checkedExamples(inputExamples, compile === 'now' ? validate : undefined),
    strict,
    allowedCallers,
    annotations,
    ...limits,
    concurrency: definition.concurrency,
    ...countLimitsOf(definition, annotations),
    errorDetails,
    whenAsked,
    defer: definition.defer,
    validateInput: validate,
    validateResult: output?.validate,
    run: limitedRun(definition, limits),
  });
}

function checkedExamples(
  examples: readonly object[] | undefined,
  validate: ((value: unknown) => Validation) | undefined,
): readonly JsonObject[] {
  if (examples === undefined) return Object.freeze([]);
  const copies = examples.map((example, index) => {
    const copy = JSON.parse(toJsonText(example)) as JsonObject;
    const validation = validate?.(copy);
    if (validation?.valid === false) {
      throw new PtcError(
        'TOOL_INVALID',
        `inputExamples[${index}] does not satisfy the input schema:\n${validation.message}`,
      );
    }
    return copy;
  });
  return Object.freeze(copies);
}
