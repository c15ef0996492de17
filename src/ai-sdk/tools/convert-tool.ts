import { isRecord } from '../../shared/guards.ts';
import { given } from '../../shared/given.ts';
import { toTool } from '../../tools/define-tool.ts';
import { LateInput } from '../../tools/late-input.ts';
import type { Validate } from '../../tools/schema/bounded-validator.ts';
import type { Tool, ToolContext } from '../../tools/tool.ts';
import type { AiSdkCall, AiSdkTool } from '../sdk-types.ts';
import { invalid, readSchema } from './read-schema.ts';

/** A tool of the AI SDK in the form of this package. */
export interface ConvertedTool {
  /** Its `run` calls `execute` without the messages of a conversation. */
  readonly tool: Tool<unknown>;
  /**
   * Whether the AI SDK says that a call with these validated arguments needs approval. Undefined if no
   * call does.
   */
  readonly needsApproval: ((input: unknown, call: AiSdkCall) => Promise<boolean>) | undefined;
  /** Runs it with validated arguments. Of several results, the last one counts. */
  readonly execute: (input: unknown, call: AiSdkCall) => Promise<unknown>;
}

type UntypedFunction = (input: unknown, options: AiSdkCall) => unknown;

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
  const { schema, check } = readSchema(name, 'inputSchema', source.inputSchema);
  const run = async (input: unknown, call: AiSdkCall): Promise<unknown> => {
    const known = await LateInput.valueOf(input);
    const result = (execute as UntypedFunction).call(source, known, call);
    return isAsyncIterable(result) ? lastOf(result) : result;
  };
  const output =
    source.outputSchema === undefined
      ? undefined
      : readSchema(name, 'outputSchema', source.outputSchema);
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
    tool: check === undefined ? tool : withCheck(tool, check),
    execute: run,
    needsApproval:
      needsApproval === undefined || needsApproval === false
        ? undefined
        : async (input, call) =>
            needsApproval === true ||
            Boolean(
              await (needsApproval as UntypedFunction).call(
                source,
                await LateInput.valueOf(input),
                call,
              ),
            ),
  };
}

/** The tool with a check of its own after that of its JSON Schema. */
function withCheck(tool: Tool<unknown>, check: Validate): Tool<unknown> {
  const validateInput: Validate = (value) => {
    const validation = tool.validateInput(value);
    return validation.valid ? check(validation.value) : validation;
  };
  return Object.freeze({ ...tool, validateInput });
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

async function lastOf(results: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (const result of results) last = result;
  return last;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
