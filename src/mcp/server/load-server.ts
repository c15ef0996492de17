import { PtcError } from '../../shared/errors.ts';

/**
 * Loads a part of the official server. Its packages are peer dependencies, so they may be missing.
 * @param part - Which package has it.
 */
export async function loadServer<Module>(
  part: 'node' | 'server',
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    throw new PtcError(
      'MCP_SERVER_MISSING',
      `mcpServer needs the package @modelcontextprotocol/${part}, which could not be loaded. Run: npm install @modelcontextprotocol/${part}`,
      { cause },
    );
  }
}
