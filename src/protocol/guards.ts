import { isRecord } from '../shared/guards.ts';
import type { CallGivenUpMessage, ToolCallMessage, WaitingMessage } from './call-messages.ts';
import type { FileAnswerMessage, FileFailure } from './file-messages.ts';
import type {
  AttachedMessage,
  ConfiguredMessage,
  ExecutionError,
  ImageMessage,
  InterpreterEnd,
  OutcomeMessage,
  OutputDeltaMessage,
  ReadyMessage,
  ReportMessage,
  RunnerMessage,
  ValueMessage,
} from './messages.ts';

type Check = (value: unknown) => boolean;

/** A check for each field. */
type Shape = readonly (readonly [name: string, check: Check])[];

/** The type of `checks` ensures that no field is forgotten. */
function shapeOf<Message>(checks: Readonly<Record<Exclude<keyof Message, 'kind'>, Check>>): Shape {
  return Object.entries(checks);
}

const guestError: Shape = shapeOf<ExecutionError>({
  type: isText,
  message: isText,
  line: optional(isCount),
  traceback: isText,
});

const interpreterEnd: Shape = shapeOf<InterpreterEnd>({
  reason: oneOf('exit', 'signal', 'memory', 'killed'),
  status: isInteger,
});

const ready: Shape = shapeOf<ReadyMessage>({
  protocol: isCount,
  language: isText,
  version: isText,
});

const configured: Shape = shapeOf<ConfiguredMessage>({
  language: isText,
  version: optional(isText),
});

const attached: Shape = shapeOf<AttachedMessage>({
  attach_id: isText,
  executions: isCount,
  interrupted: isBoolean,
});

const toolCall: Shape = shapeOf<Omit<ToolCallMessage, 'refusal'>>({
  execution_id: isText,
  call_id: isText,
  tool_name: isText,
  arguments: isRecord,
  line: (value) => value === undefined || isCount(value),
});

const callGivenUp: Shape = shapeOf<CallGivenUpMessage>({ execution_id: isText, call_id: isText });

const waiting: Shape = shapeOf<WaitingMessage>({
  execution_id: isText,
  results: isCount,
  certain: isBoolean,
});

const outputDelta: Shape = shapeOf<OutputDeltaMessage>({
  execution_id: isText,
  stream: oneOf('stdout', 'stderr'),
  text: isText,
  omitted_bytes: isCount,
});

const image: Shape = shapeOf<ImageMessage>({
  execution_id: isText,
  data: isText,
  last: isBoolean,
});

const report: Shape = shapeOf<ReportMessage>({ execution_id: isText });

const programValue: Shape = shapeOf<ValueMessage>({ execution_id: isText, value: isPresent });

const outcome: Shape = shapeOf<OutcomeMessage>({
  execution_id: isText,
  success: isBoolean,
  value: optional(isText),
  error: optional(matches(guestError)),
  exit_code: isInteger,
  interpreter_end: optional(matches(interpreterEnd)),
  outputs: optional(isOutputPath),
});

const fileFailure: Shape = shapeOf<FileFailure>({ errno: isErrorName, message: isText });

const fileAnswer: Shape = shapeOf<Omit<FileAnswerMessage, 'data'>>({
  request_id: isText,
  error: optional(matches(fileFailure)),
  result: isPresent,
});

const SHAPES: Record<RunnerMessage['kind'], Shape> = {
  ready,
  configured,
  attached,
  'tool-call': toolCall,
  'call-given-up': callGivenUp,
  waiting,
  'output-delta': outputDelta,
  image,
  report,
  value: programValue,
  outcome,
  'file-answer': fileAnswer,
};

/**
 * The first field of a parsed frame that is missing or has a wrong type. Other fields are ignored.
 */
export function findBadField(kind: RunnerMessage['kind'], body: object): string | undefined {
  return badField(SHAPES[kind], body);
}

function badField(shape: Shape, value: object): string | undefined {
  // Parsed JSON has the plain object's prototype, which has none of these names.
  return shape.find(([name, check]) => !check(Reflect.get(value, name)))?.[0];
}

function matches(shape: Shape): Check {
  return (value) => isRecord(value) && badField(shape, value) === undefined;
}

function optional(check: Check): Check {
  return (value) => value === null || check(value);
}

function oneOf(...values: readonly unknown[]): Check {
  return (value) => values.includes(value);
}

/** For a field that may be any JSON value. */
function isPresent(value: unknown): boolean {
  return value !== undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** A name such as `ENOENT`. It gets into errors, so it is not any text. */
function isErrorName(value: unknown): boolean {
  return typeof value === 'string' && /^E[A-Z0-9]{1,20}$/.test(value);
}

/** A path as the runner makes it, which problems of files name. */
function isOutputPath(value: unknown): boolean {
  return typeof value === 'string' && /^\/[\u0020-\u007E]{1,200}$/.test(value);
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}

function isInteger(value: unknown): boolean {
  return Number.isSafeInteger(value);
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
