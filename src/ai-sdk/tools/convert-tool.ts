import { asSchema } from 'ai';
import { isRecord } from '../../shared/guards.ts';
import { messageOf, PtcError } from '../../shared/errors.ts';
import { given } from '../../shared/given.ts';
import { toTool } from '../../tools/define-tool.ts';
import type { SchemaSource } from '../../tools/schema/schema.ts';
import type { Tool, ToolContext } from '../../tools/tool.ts';
import type { AiSdkCall, AiSdkTool } from '../sdk-types.ts';

/** A tool of the AI SDK in the form of this package. */
export interface ConvertedTool {
  /** Its `run` calls `execute` without the messages of a conversation. */
  readonly tool: Tool<unknown>;
  /** Whether the AI SDK says that a call needs approval. Undefined if no call does. */
  readonly needsApproval: ((input: unknown, call: AiSdkCall) => Promise<boolean>) | undefined;
  /** Runs it with validated arguments. Of several results, the last one counts. */
  readonly execute: (input: unknown, call: AiSdkCall) => Promise<unknown>;
}

type UntypedFunction = (input: unknown, options: AiSdkCall) => unknown;

/** What a schema of the AI SDK's own is asked for. */
type OwnSchema = Pick<ReturnType<typeof asSchema>, 'jsonSchema' | 'validate'>;

/** Made once for each tool: to compile a schema takes milliseconds, and a request may have several steps. */
const converted = new WeakMap<AiSdkTool, { readonly name: string; readonly made: ConvertedTool }>();

/** @throws PtcError `TOOL_INVALID`. The message says what is wrong with the tool. */
export function convertTool(name: string, source: AiSdkTool): ConvertedTool {
  if (!isRecord(source)) throw invalid(name, 'it is not a tool of the AI SDK.');
  const known = converted.get(source);
  if (known?.name === name) return known.made;
  const made = convert(name, source);
  converted.set(source, { name, made });
  return made;
}

function convert(name: string, source: AiSdkTool): ConvertedTool {
  const { execute, needsApproval, inputExamples } = source;
  if (typeof execute !== 'function') {
    throw invalid(
      name,
      'it has no execute, so it runs in the client or at the provider of the model, and programs cannot call it. Leave it out here.',
    );
  }
  const { schema, validate } = schemaOf(name, 'inputSchema', source.inputSchema);
  const run = async (input: unknown, call: AiSdkCall): Promise<unknown> => {
    const result = (execute as UntypedFunction).call(
      source,
      await validated(validate, input),
      call,
    );
    return isAsyncIterable(result) ? lastOf(result) : result;
  };
  const output =
    source.outputSchema === undefined
      ? undefined
      : schemaOf(name, 'outputSchema', source.outputSchema);
  const tool = toTool<unknown>({
    name,
    description: descriptionOf(name, source),
    inputSchema: schema,
    ...given({
      outputSchema: output?.schema,
      inputExamples: inputExamples?.map(({ input }) => input as object),
    }),
    run: (input: unknown, context: ToolContext) => run(input, callOf(context)),
  });
  return {
    tool,
    execute: run,
    needsApproval:
      needsApproval === undefined || needsApproval === false
        ? undefined
        : async (input, call) =>
            needsApproval === true ||
            Boolean(await (needsApproval as UntypedFunction).call(source, input, call)),
  };
}

/** The options of the AI SDK for a call of a program. */
export function callOf(
  { callId, signal, context }: ToolContext,
  messages: readonly unknown[] = [],
): AiSdkCall {
  return {
    toolCallId: callId,
    messages,
    abortSignal: signal,
    context,
    experimental_context: context,
  };
}

function descriptionOf(name: string, { description }: AiSdkTool): string {
  if (description === undefined || description === '') return 'It has no description.';
  if (typeof description === 'string') return description;
  throw invalid(
    name,
    'its description is a function, which depends on a request. Pass the tool with a text: { ...tool, description: "…" }.',
  );
}

interface ReadSchema {
  readonly schema: SchemaSource;
  /** The schema's own check, for what its JSON Schema does not say. */
  readonly validate: OwnSchema['validate'];
}

/**
 * Schemas of zod and of other libraries are used as they are, so that the checks of this package
 * bound their time. A schema of the AI SDK's own (`jsonSchema`, `zodSchema`, `lazySchema`) is its
 * JSON Schema, and its own check runs with the tool.
 */
function schemaOf(name: string, field: string, source: unknown): ReadSchema {
  const isOfLibrary =
    (typeof source === 'object' || typeof source === 'function') &&
    source !== null &&
    '~standard' in source;
  if (isOfLibrary) return { schema: source as SchemaSource, validate: undefined };
  let own: OwnSchema;
  try {
    own = asSchema(source as Parameters<typeof asSchema>[0]);
  } catch (error) {
    throw invalid(name, `its ${field} cannot be read: ${messageOf(error)}`);
  }
  const { jsonSchema, validate } = own;
  if (!isRecord(jsonSchema) || 'then' in jsonSchema) {
    throw invalid(
      name,
      `the JSON Schema of its ${field} is not there yet, but a promise. Await it, and pass the tool with jsonSchema(await …).`,
    );
  }
  return { schema: jsonSchema, validate };
}

async function validated(validate: OwnSchema['validate'], input: unknown): Promise<unknown> {
  const validation = await validate?.(input);
  if (validation === undefined) return input;
  if (!validation.success) throw validation.error;
  return validation.value;
}

async function lastOf(results: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (const result of results) last = result;
  return last;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

function invalid(name: string, what: string): PtcError {
  return new PtcError('TOOL_INVALID', `Tool ${JSON.stringify(name)}: ${what}`, {
    details: { tool: name },
  });
}
