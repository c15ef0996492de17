import { PtcError } from '../../shared/errors.ts';
import type { Tool } from '../tool.ts';

/** The error for two tools that cannot be in the same registry. */
export function clash(tool: Tool, other: Tool): PtcError {
  const names = [tool.name, other.name];
  const reason =
    tool.name === other.name
      ? 'A tool with this name is registered already'
      : `Both would be the function ${tool.identifier} in programs`;
  return new PtcError(
    'TOOL_NAME_CLASH',
    `The tools ${names.map((name) => JSON.stringify(name)).join(' and ')} cannot be in the same registry. ${reason}; rename one of them.`,
    { details: { names } },
  );
}

/**
 * The error for a name that cannot be that of a source of tools.
 * @param tool - The tool that has this name, if it is not another source.
 */
export function nameSpaceClash(source: string, tool?: Tool): PtcError {
  const reason =
    tool === undefined
      ? 'A source with this name is registered already'
      : `The tool ${JSON.stringify(tool.name)} is a function with this name in programs`;
  return new PtcError(
    'TOOL_NAME_CLASH',
    `The name ${source} cannot be that of a source of tools. ${reason}; rename one of them, or remove it.`,
    { details: { names: tool === undefined ? [source] : [source, tool.name] } },
  );
}
