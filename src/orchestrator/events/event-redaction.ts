import { messageOf } from '../../shared/errors.ts';
import { warn } from '../../shared/process-warning.ts';
import { EXECUTE_CODE } from '../code/code-tool-definition.ts';
import type { RunEventBody } from './run-events.ts';

/**
 * Which part of a tool call an event contains. For a call of `execute_code`, the part is its
 * program.
 */
export interface ToolCallPart {
  readonly toolName: string;
  readonly part: 'arguments' | 'result' | 'error' | 'code' | 'progress';
}

/**
 * Returns the value that events contain instead of a tool's arguments (a JSON value), its result
 * (JSON text, at most the first 10,000 characters), its error message (text), the message of its
 * progress (text) or the model's program (text). It gets a copy, which it may change. If it returns
 * something other than a text for a result, a message or a program, or if it throws, the part is left
 * out.
 */
export type RedactFunction = (value: unknown, of: ToolCallPart) => unknown;

/**
 * Replaces the programs and the arguments and results of tools in an event by what the function
 * returns. Undefined for parts of arguments and programs (`tool-input-delta`), because a part does
 * not show what the whole is.
 */
export function redactEvent(event: RunEventBody, redact: RedactFunction): RunEventBody | undefined {
  switch (event.type) {
    case 'tool-input-delta':
      return undefined;
    case 'program-started': {
      const code = redactText(redact, event.code, { toolName: EXECUTE_CODE, part: 'code' });
      return { ...event, code: code ?? '' };
    }
    case 'tool-call-started':
    case 'tool-call-deferred':
    case 'approval-requested':
    case 'approval-decided':
    case 'approval-granted': {
      const { toolName } = event;
      return {
        ...event,
        arguments: redactPart(redact, event.arguments, { toolName, part: 'arguments' }),
      };
    }
    case 'tool-call-progressed': {
      const { toolName, message } = event;
      return {
        ...event,
        message: message && redactText(redact, message, { toolName, part: 'progress' }),
      };
    }
    case 'tool-call-ended': {
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
    // Copied, because the tool gets the same object.
    return redact(structuredClone(value), of);
  } catch (error) {
    warn(
      `\`redact\` threw for the ${of.part} of ${of.toolName}, which its event leaves out: ${messageOf(error)}`,
    );
    return undefined;
  }
}
