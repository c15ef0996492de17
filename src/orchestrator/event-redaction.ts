import { messageOf } from '../shared/errors.ts';
import { warn } from '../shared/process-warning.ts';
import { EXECUTE_CODE } from './code-tool-definition.ts';
import type { RunEventBody } from './run-events.ts';

/** What of a tool call an event is about to tell; of a call of `execute_code`, its program. */
export interface ToolCallPart {
  readonly toolName: string;
  readonly part: 'arguments' | 'result' | 'error' | 'code';
}

/**
 * Gives what events tell in place of a tool's arguments (a JSON value), its result (JSON text, at most its first 10,000
 * characters), the message of its error (a text) or the program that the model wrote (a text). It may change what it gets,
 * which is a copy. A result, message or program that it does not give as a text is left out, and so is a part for which it
 * throws.
 */
export type RedactFunction = (value: unknown, of: ToolCallPart) => unknown;

/**
 * An event with nothing in it of tools' arguments and results and of the model's programs but what the function gives.
 * Undefined for pieces of arguments and programs: no piece shows what the whole is.
 */
export function redactEvent(event: RunEventBody, redact: RedactFunction): RunEventBody | undefined {
  switch (event.type) {
    case 'tool-input-delta':
      return undefined;
    case 'code-start': {
      const code = redactText(redact, event.code, { toolName: EXECUTE_CODE, part: 'code' });
      return { ...event, code: code ?? '' };
    }
    case 'tool-call':
    case 'approval': {
      const { toolName } = event;
      return {
        ...event,
        arguments: redactPart(redact, event.arguments, { toolName, part: 'arguments' }),
      };
    }
    case 'tool-result': {
      const { toolName, result, error } = event;
      return {
        ...event,
        result: result && redactText(redact, result, { toolName, part: 'result' }),
        error: error && {
          ...error,
          message: redactText(redact, error.message, { toolName, part: 'error' }) ?? '',
        },
      };
    }
    default:
      return event;
  }
}

function redactText(redact: RedactFunction, text: string, of: ToolCallPart): string | undefined {
  const redacted = redactPart(redact, text, of);
  return typeof redacted === 'string' ? redacted : undefined;
}

function redactPart(redact: RedactFunction, value: unknown, of: ToolCallPart): unknown {
  try {
    // The tool gets the same object.
    return redact(structuredClone(value), of);
  } catch (error) {
    warn(
      `\`redact\` threw for the ${of.part} of ${of.toolName}, which its event leaves out: ${messageOf(error)}`,
    );
    return undefined;
  }
}
