import { createRequire } from 'node:module';
import { PtcError } from '../../shared/errors.ts';

/** Loads a part of the official client. It is a peer dependency, so it may be missing. */
export async function loadClient<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    throw new PtcError(
      'MCP_CLIENT_MISSING',
      'mcpTools needs the package @modelcontextprotocol/client, which could not be loaded. Run: npm install @modelcontextprotocol/client',
      { cause: error },
    );
  }
}

/** How this package introduces itself to servers. */
export function ownName(): { readonly name: string; readonly version: string } {
  const load = createRequire(import.meta.url);
  const { name, version } = load('../../../package.json') as { name: string; version: string };
  return { name, version };
}
