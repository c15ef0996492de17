import { warn } from '../../../shared/process-warning.ts';
import type { UnacceptedTool } from './pins.ts';

const MAXIMUM_SHOWN = 5;
/** A server can list other tools each time. */
const MAXIMUM_NAMES = 10_000;

/** Warns once of each tool that waits to be accepted, as long as there are not too many. */
export class UnacceptedWarnings {
  readonly #server: string;
  readonly #names: Set<string> = new Set();

  constructor(server: string) {
    this.#server = server;
  }

  warnOf(tools: readonly UnacceptedTool[]): void {
    const names = tools.map(({ name }) => name).filter((name) => !this.#names.has(name));
    if (names.length === 0 || this.#names.size >= MAXIMUM_NAMES) return;
    for (const name of names) this.#names.add(name);
    const shown = names.slice(0, MAXIMUM_SHOWN).map((name) => JSON.stringify(name.slice(0, 100)));
    const list = `${shown.join(', ')}${names.length > MAXIMUM_SHOWN ? ', …' : ''}`;
    warn(
      `Programs cannot call ${names.length} tools of the MCP server ${this.#server}, because the server has changed their definitions, or they are new: ${list}. Review unaccepted() of its source, and pass to accept() what you accept. See docs/mcp.md.`,
      'PTC_MCP_PIN',
    );
  }
}
