import { messageOf, PtcError } from '../shared/errors.ts';
import { isOfKind } from '../shared/options/option-kinds.ts';
import { showValue } from '../shared/show-value.ts';
import { checkToolName } from './names.ts';

/**
 * Checks what a tool is and its name. Returns what messages call it.
 * @throws PtcError `TOOL_INVALID`
 */
export function describeTool(definition: unknown): string {
  if (!isOfKind(definition, 'object')) {
    const message = `A tool must be an object with name, description and run, not ${showValue(definition)}.`;
    throw new PtcError('TOOL_INVALID', message);
  }
  const { name, isWrapped } = readTool(definition as Readonly<Record<string, unknown>>);
  if (isWrapped) {
    throw new PtcError(
      'TOOL_INVALID',
      'A tool has no "function" around its fields, as OpenAI’s format has. Write its name and description at the top, its parameters as inputSchema, and add run.',
    );
  }
  checkToolName(name);
  return `Tool ${JSON.stringify(name)}`;
}

/** @throws PtcError `TOOL_INVALID` for one that cannot be read, such as a revoked proxy. */
function readTool(definition: Readonly<Record<string, unknown>>): {
  readonly name: unknown;
  readonly isWrapped: boolean;
} {
  try {
    const { name } = definition;
    return { name, isWrapped: name === undefined && 'function' in definition };
  } catch (cause) {
    throw new PtcError('TOOL_INVALID', `A tool cannot be read: ${messageOf(cause)}`, { cause });
  }
}
