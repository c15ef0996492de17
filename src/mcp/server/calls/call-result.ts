import type { CodeAnswer } from '../../../orchestrator/code/code-answer.ts';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ExecutionResult, ExecutionStatus } from '../../../execution/execution.ts';
import type { OutputFile } from '../../../execution/files/output-files.ts';
import type { JsonObject } from '../../../shared/json/json.ts';
import { shortenText } from '../../../orchestrator/long-text/shorten-text.ts';
import { showBytes } from '../../../shared/show-bytes.ts';
import { isRecord } from '../../../shared/guards.ts';

const STATUSES: Readonly<Record<ExecutionStatus, true>> = {
  ok: true,
  error: true,
  timeout: true,
  cancelled: true,
  'memory-limit': true,
  'budget-exceeded': true,
  'protocol-error': true,
  'sandbox-lost': true,
};

/** The same status as that of a held program. */
const STILL_RUNS = 'running';

const STATUS = {
  type: 'string',
  enum: Object.keys(STATUSES),
  description: 'How the program ended.',
};

const PROPERTIES: JsonObject = {
  status: STATUS,
  output: {
    type: 'string',
    description: 'What the program printed, how it failed, and what is known about its calls.',
  },
  error: {
    type: 'object',
    description: 'Why the program failed.',
    properties: {
      type: { type: 'string' },
      message: { type: 'string' },
      line: { type: 'integer' },
    },
    required: ['type', 'message'],
    additionalProperties: false,
  },
  session: { type: 'string', description: 'Names the session for later calls.' },
  toolCalls: { type: 'integer', description: 'How many tool calls the program made.' },
};

/** The structured content of a result of `execute_code`. */
export const CODE_RESULT_SCHEMA: JsonObject = {
  type: 'object',
  properties: PROPERTIES,
  required: ['status', 'output', 'toolCalls'],
  additionalProperties: false,
};

/** The same with `yieldAfterMs`, for a program that may still run. */
export const LONG_RESULT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    ...PROPERTIES,
    status: {
      ...STATUS,
      enum: [...STATUS.enum, STILL_RUNS],
      description: `How the program ended, or \`${STILL_RUNS}\`.`,
    },
    program: { type: 'string', description: 'The id of a program that still runs.' },
  },
  required: ['status', 'output'],
  additionalProperties: false,
};

/** How many bytes of files one result has. Clients keep results in memory and in their logs. */
const MAX_FILE_BYTES = 1024 * 1024;

/** How much of the type and of the message of an error is shown, in characters. */
const MAX_TYPE_LENGTH = 200;
const MAX_MESSAGE_LENGTH = 2000;
const SEE_OUTPUT = 'see output';

/**
 * The result of a call of `execute_code`. Some clients show the model only the structured content,
 * and others only the text, so each has all of the output.
 * @param answer - Without `result` and `program` if no program ran, because the input was invalid.
 * @param session - The handle of the session, if later calls can name it.
 */
export function codeResult(
  { text, isError, images, result, program }: CodeAnswer,
  session: string | undefined,
): CallToolResult {
  const content: CallToolResult['content'] = [
    { type: 'text', text },
    ...images.map(({ mediaType, data }) => ({ type: 'image' as const, mimeType: mediaType, data })),
  ];
  const named = session === undefined ? {} : { session };
  if (program !== undefined) {
    const structuredContent = { status: STILL_RUNS, output: text, ...named, program };
    return { content, structuredContent, isError };
  }
  if (result === undefined) return { content, isError };
  content.push(...fileContents(result.files));
  const { status, error, toolCalls } = result;
  const structuredContent = {
    status,
    output: text,
    ...(error && { error: describeError(error) }),
    ...named,
    toolCalls,
  };
  return { content, structuredContent, isError };
}

/** The files that a program left: for the user, and not for the model, which knows their names. */
function fileContents(files: readonly OutputFile[]): CallToolResult['content'] {
  let room = MAX_FILE_BYTES;
  const isSent = files.map(({ sizeBytes }) => {
    const fits = sizeBytes <= room;
    if (fits) room -= sizeBytes;
    return fits;
  });
  const sent = files.filter((_, index) => isSent[index]).map(embedded);
  const others = files.filter((_, index) => !isSent[index]);
  if (others.length === 0) return sent;
  const names = others.map(({ name }) => name).join(', ');
  const note = `[The user does not get these files, because a result can have ${showBytes(MAX_FILE_BYTES)} of files: ${names}.]`;
  return [...sent, { type: 'text', text: note }];
}

function embedded({ name, mediaType, data }: OutputFile): CallToolResult['content'][number] {
  const uri = `output:///${name.split('/').map(encodeURIComponent).join('/')}`;
  return {
    type: 'resource',
    resource: { uri, mimeType: mediaType, blob: data },
    annotations: { audience: ['user'] },
  };
}

/**
 * The result of a call of another tool.
 * @param json - Its result as JSON text, if it has a schema of objects and did not fail.
 */
export function directResult(
  { text, isError }: Pick<CodeAnswer, 'text' | 'isError'>,
  json: string | undefined,
): CallToolResult {
  const value: unknown = json === undefined ? undefined : JSON.parse(json);
  return {
    content: [{ type: 'text', text }],
    ...(isRecord(value) && { structuredContent: value }),
    isError,
  };
}

/** A program chooses its error, which can have megabytes. */
function describeError(error: NonNullable<ExecutionResult['error']>): JsonObject {
  const { type, message, line } = error;
  return {
    type: shortenText(type, MAX_TYPE_LENGTH, SEE_OUTPUT),
    message: shortenText(message, MAX_MESSAGE_LENGTH, SEE_OUTPUT),
    ...(line !== null && { line }),
  };
}
