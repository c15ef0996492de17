import { isRecord } from '../../shared/guards.ts';
import { escapeControls } from '../../shared/control-characters.ts';

/** A tool call as a line of code. Its arguments come from generated code and can be anything. */
export function describeCall(toolName: string, input: unknown): string {
  const given = isRecord(input)
    ? Object.entries(input).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    : [JSON.stringify(input) ?? ''];
  return escapeControls(`${toolName}(${given.join(', ')})`).replaceAll('\n', ' ');
}
