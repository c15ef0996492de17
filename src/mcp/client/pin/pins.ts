import { isOfKind } from '../../../shared/options/option-kinds.ts';
import { invalidOption } from '../../../shared/options/option-values.ts';
import { toIdentifier } from '../../../tools/names.ts';
import type { ListedTool } from '../mcp-client.ts';

/** A tool that programs cannot call until its definition is accepted. */
export interface UnacceptedTool {
  /** Its name at the server. */
  readonly name: string;
  /** The digest of what the server lists now: 64 hexadecimal digits. */
  readonly digest: string;
  /** What the server lists now, as it wrote it: with control characters, if it has any. */
  readonly definition: ListedTool;
  /** The definition that was accepted, if that was in this process. */
  readonly accepted: ListedTool | undefined;
}

/** The digest of each accepted tool, by its name at the server. */
export type ToolPins = Readonly<Record<string, string>>;

/** A server can list other tools each time, so the names of new ones must not fill the memory. */
const MAXIMUM_PINS = 10_000;

/** Which definitions of tools are accepted. The pins of removed tools stay: they may come back. */
export class Pins {
  readonly #digests: Map<string, string> = new Map();
  /** The name to which the name of a function belongs. */
  readonly #owners: Map<string, string> = new Map();
  readonly #areNewAccepted: boolean;

  /** @param pin - The accepted tools, or `true` to accept each tool as it is first listed. */
  constructor(pin: true | ToolPins) {
    this.#areNewAccepted = pin === true;
    for (const [name, digest] of Object.entries(pin === true ? {} : pin)) this.set(name, digest);
  }

  /** Whether programs may call a tool with this definition. */
  accepts(name: string, digest: string): boolean {
    const pinned = this.#digests.get(name);
    if (pinned !== undefined) return pinned === digest;
    // Programs would call it instead of the accepted tool that has the same function.
    const isFunctionTaken = this.#owners.has(toIdentifier(name));
    return this.#areNewAccepted && !isFunctionTaken && this.#digests.size < MAXIMUM_PINS;
  }

  set(name: string, digest: string): void {
    this.#digests.set(name, digest);
    const identifier = toIdentifier(name);
    if (!this.#owners.has(identifier)) this.#owners.set(identifier, name);
  }

  all(): ToolPins {
    return Object.fromEntries(this.#digests);
  }
}

/** @throws PtcError `OPTION_INVALID` for a value that is not a boolean or digests by name. */
export function checkPin(pin: unknown): void {
  if (pin === undefined || typeof pin === 'boolean') return;
  if (!isOfKind(pin, 'plain')) {
    throw invalidOption('pin', pin, 'true, false, or what pins() returned');
  }
  for (const [name, digest] of Object.entries(pin as Readonly<Record<string, unknown>>)) {
    if (isDigest(digest)) continue;
    const expected = 'a digest that pins() returned, 64 hexadecimal digits';
    throw invalidOption(`pin[${JSON.stringify(name)}]`, digest, expected);
  }
}

/** @throws PtcError `OPTION_INVALID` for a value that is not a list of tools with name and digest. */
export function checkAccepted(tools: unknown): void {
  const isTool = (tool: unknown): boolean => {
    const { name, digest } = Object(tool) as Readonly<Record<string, unknown>>;
    return typeof name === 'string' && isDigest(digest);
  };
  if (Array.isArray(tools) && tools.every(isTool)) return;
  throw invalidOption('tools', tools, 'an array of tools that unaccepted() returned');
}

function isDigest(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}
