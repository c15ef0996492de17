import { messageOf } from '../shared/errors.ts';
import { warn } from '../shared/process-warning.ts';
import type { RunEventBody } from './run-events.ts';

/** What of a tool call an event is about to tell. */
export interface ToolCallPart {
  readonly toolName: string;
  readonly part: 'arguments' | 'result' | 'error';
}

/**
 * Gives what events tell in place of a tool's arguments (a JSON value), its result (JSON text, at most its first 10,000
 * characters) or the message of its error (a text). It may change what it gets, which is a copy. A result or a message
 * that it does not give as a text is left out, and so is a part for which it throws.
 */
export type RedactFunction = (value: unknown, of: ToolCallPart) => unknown;

/** An event with nothing in it of tools' arguments and results but what the function gives. */
export function redactEvent(event: RunEventBody, redact: RedactFunction): RunEventBody {
  switch (event.type) {
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
