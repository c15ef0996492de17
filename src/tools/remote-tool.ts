import { checkOptionNames, type OptionsObject } from '../shared/options/option-names.ts';
import { PtcError } from '../shared/errors.ts';
import { checkDelay } from '../shared/options/option-values.ts';
import type { JsonObject } from '../shared/json/json.ts';
import { toTool, type OutputOf, type ToolDefinition } from './define-tool.ts';
import { COUNT_LIMIT_NAMES } from './limits/count-limits.ts';
import type { JsonSchemaSource, SchemaSource, TypedSchema } from './schema/schema.ts';
import type { ToolSet } from './registry/tool-set.ts';
import type { Tool } from './tool.ts';

/** How long a call waits for its answer by default: as long as an idle session lives. */
const DEFAULT_TIMEOUT_MS = 270_000;

/**
 * The definition of a tool without a function. Whoever starts a program answers the calls
 * (`HeldProgram.answer`).
 */
export interface RemoteToolDefinition<Schema extends SchemaSource = SchemaSource> extends Omit<
  ToolDefinition<Schema>,
  'run' | 'timeoutMs' | 'maxTimeoutMs' | 'concurrency' | 'allowedCallers' | 'whenAsked'
> {
  /**
   * How long a call may wait for its answer, in milliseconds. Then it fails in the program, which
   * goes on.
   * @default 270000
   */
  readonly remoteTimeoutMs?: number;
}

export const REMOTE_DEFINITION: OptionsObject<RemoteToolDefinition> = {
  of: 'defineRemoteTool',
  names: {
    name: true,
    description: 'text',
    inputSchema: true,
    outputSchema: true,
    outputDescription: 'text',
    inputExamples: 'array',
    strict: 'boolean',
    annotations: true,
    errorDetails: true,
    defer: 'boolean',
    ...COUNT_LIMIT_NAMES,
    remoteTimeoutMs: 'number',
  },
  page: 'docs/held-programs.md',
  otherWords: {
    parameters: 'inputSchema',
    input_schema: 'inputSchema',
    schema: 'inputSchema',
    output_schema: 'outputSchema',
    timeout: 'remoteTimeoutMs',
    timeoutMs: 'remoteTimeoutMs',
  },
  code: 'TOOL_INVALID',
};

/**
 * Creates a tool without a function: its calls come out of `HeldProgram.next`, and its caller answers
 * them. Programs that are not held, and models directly, cannot call it.
 * @throws PtcError `TOOL_INVALID`. The message says what is wrong with the definition.
 */
export function defineRemoteTool<Schema extends TypedSchema, Name extends string = string>(
  definition: RemoteToolDefinition<Schema> & { readonly name: Name; readonly inputSchema: Schema },
): Tool<unknown, OutputOf<Schema>, Name>;
export function defineRemoteTool<Input = JsonObject, Name extends string = string>(
  definition: RemoteToolDefinition<JsonSchemaSource> & { readonly name: Name },
): Tool<unknown, Input, Name>;
export function defineRemoteTool(definition: RemoteToolDefinition): Tool {
  checkOptionNames(definition, REMOTE_DEFINITION);
  const { remoteTimeoutMs = DEFAULT_TIMEOUT_MS, ...rest } = definition;
  checkDelay('remoteTimeoutMs', remoteTimeoutMs);
  const limits = { timeoutMs: remoteTimeoutMs, maxTimeoutMs: remoteTimeoutMs };
  const tool = toTool({ ...rest, ...limits, run: answeredElsewhere });
  return Object.freeze({ ...tool, remote: true as const });
}

/** Whether the calls of a tool are answered by whoever started the program. */
export function isRemote({ remote }: Tool): boolean {
  return remote === true;
}

/** The remote ones of a list. Kept, because each program asks for those of the same few lists. */
export function remoteToolsOf(tools: readonly Tool[]): readonly Tool[] {
  const known = remoteOf.get(tools);
  if (known !== undefined) return known;
  const remote = tools.filter(isRemote);
  remoteOf.set(tools, remote);
  return remote;
}

/**
 * Refuses remote tools of programs whose caller cannot answer their calls.
 * @throws PtcError `OPTION_INVALID`
 */
export function assertAnswered(tools: ToolSet): void {
  const remote = remoteToolsOf(tools.forCaller('code')).map(({ name }) => name);
  if (remote.length === 0) return;
  const named = remote.slice(0, 5).join(', ');
  const message = `Nobody would answer the calls of the remote tools of this program: ${named}. Start it with session.start(code) and answer them (docs/held-programs.md), or leave them out of tools.`;
  throw new PtcError('OPTION_INVALID', message, { details: { option: 'tools', remote } });
}

const remoteOf = new WeakMap<readonly Tool[], readonly Tool[]>();

function answeredElsewhere(): never {
  throw new Error('this is a remote tool, which has no function');
}
