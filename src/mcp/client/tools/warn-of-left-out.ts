import { warn } from '../../../shared/process-warning.ts';

/** A tool that programs cannot have. */
export interface LeftOutTool {
  readonly name: string;
  /** A phrase, which may quote the server. */
  readonly reason: string;
}

const MAXIMUM_SHOWN = 5;
/** A server can list other tools each time. */
const MAXIMUM_NAMES = 1000;
/** In characters. */
const LONGEST_NAME = 100;
const LONGEST_REASON = 200;

/** Warns once of each tool that is left out, as long as there are not too many. */
export class LeftOutWarnings {
  readonly #server: string;
  readonly #names: Set<string> = new Set();

  constructor(server: string) {
    this.#server = server;
  }

  warnOf(tools: readonly LeftOutTool[]): void {
    const shown: string[] = [];
    let count = 0;
    for (const { name, reason } of tools) {
      const start = name.slice(0, LONGEST_NAME);
      if (this.#names.has(start) || this.#names.size === MAXIMUM_NAMES) continue;
      this.#names.add(start);
      count += 1;
      if (count > MAXIMUM_SHOWN) continue;
      shown.push(`${JSON.stringify(start)} (${reason.slice(0, LONGEST_REASON)})`);
    }
    if (count === 0) return;
    const list = `${shown.join(', ')}${count > MAXIMUM_SHOWN ? ', …' : ''}`;
    const counted = count === 1 ? '1 tool' : `${count} tools`;
    warn(
      `Programs cannot have ${counted} of the MCP server ${this.#server}: ${list}`,
      'PTC_MCP_TOOL',
    );
  }
}
