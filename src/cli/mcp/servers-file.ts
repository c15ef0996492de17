import { createReadStream } from 'node:fs';
import { readMcpServers, type McpServersFile } from '../../mcp/servers-file/read-mcp-servers.ts';
import { escapeLine } from '../../shared/control-characters.ts';
import { messageOf } from '../../shared/errors.ts';
import { UsageError } from '../failure.ts';
import { readStart } from '../read-start.ts';
import { colorsFor } from '../terminal/terminal.ts';

/** A larger file is refused: it is hardly one of servers. */
const MAXIMUM_BYTES = 2 ** 20;

/**
 * Reads the servers of the file of `--mcp`, and says on standard error which fields have no effect.
 * @throws UsageError with what is wrong with the file.
 */
export async function readServersFile(
  path: string,
): Promise<Pick<McpServersFile, 'servers' | 'clientIds'>> {
  const text = await readText(path);
  try {
    const { servers, clientIds, warnings } = readMcpServers(text);
    for (const warning of warnings) {
      const line = escapeLine(`${path}: ${warning}`);
      process.stderr.write(`${colorsFor(process.stderr).yellow(line)}\n`);
    }
    if (servers.length > 0) return { servers, clientIds };
  } catch (cause) {
    throw new UsageError(`--mcp ${path}: ${messageOf(cause)}`, { cause });
  }
  throw new UsageError(
    `--mcp ${path} has no server, or only disabled ones. Add one, or omit --mcp.`,
  );
}

async function readText(path: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readStart(createReadStream(path), MAXIMUM_BYTES + 1);
  } catch (cause) {
    throw new UsageError(`--mcp ${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
  if (bytes.length > MAXIMUM_BYTES) {
    throw new UsageError(
      `--mcp ${path} has more than ${MAXIMUM_BYTES} bytes. Is it the right file?`,
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new UsageError(`--mcp ${path} is not UTF-8 text. Save it as UTF-8.`, { cause });
  }
}
