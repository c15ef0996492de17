import { PtcError } from '../../shared/errors.ts';

/** Loads a part of the official server. It is a peer dependency, so it may be missing. */
export async function loadServer<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    throw new PtcError(
      'MCP_SERVER_MISSING',
      'mcpServer needs the package @modelcontextprotocol/server, which could not be loaded. Run: npm install @modelcontextprotocol/server',
      { cause },
    );
  }
}
