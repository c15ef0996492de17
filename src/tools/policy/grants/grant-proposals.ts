import { hash } from 'node:crypto';
import { isRecord } from '../../../shared/guards.ts';
import { canonicalJson } from '../../../shared/json/canonical-json.ts';
import { copyJson } from '../../../shared/json/copy-json.ts';
import type { JsonValue } from '../../../shared/json/json.ts';
import type { ApprovalGrant } from './grant.ts';

/** Of how many places calls are remembered. */
const MOST_PLACES = 100;
/** How many arguments of a call are compared with those of the next one. */
const MOST_FIELDS = 20;
/** The longest name of an argument that is compared, in UTF-16 units. */
const LONGEST_NAME = 200;
const MOST_CALLS = 10_000;

/** The calls of one tool that one line of a program makes. */
interface Place {
  asked: number;
  /**
   * The digests of the arguments that all of them have, with the same values. Undefined if the first
   * call has arguments that are not compared.
   */
  readonly shared: Map<string, string> | undefined;
}

/** What to propose to the approver of the calls of one program. What is remembered is bounded. */
export class GrantProposals {
  readonly #places: Map<string, Place> = new Map();

  /**
   * The approver is asked about a call.
   * @param line - That of the program. Calls whose line is not known count as of one line.
   * @returns a grant for as many further calls as a loop may make that goes on: twice as many as were
   *   asked. They must have what all calls had in common. Undefined for the first call, and if it is not
   *   known what they have in common: the grant would cover more than the approver can see.
   */
  propose(toolName: string, line: number | undefined, sent: unknown): ApprovalGrant | undefined {
    const key = `${line} ${toolName}`;
    const place = this.#places.get(key);
    if (place === undefined) {
      if (this.#places.size < MOST_PLACES)
        this.#places.set(key, { asked: 1, shared: digestsOf(sent) });
      return undefined;
    }
    place.asked += 1;
    const { shared } = place;
    if (shared === undefined) return undefined;
    const fields = isRecord(sent) ? sent : {};
    for (const [name, digest] of shared) {
      if (!Object.hasOwn(fields, name) || digestOf(fields[name]) !== digest) shared.delete(name);
    }
    const calls = Math.min(2 * place.asked, MOST_CALLS);
    if (shared.size === 0) return { calls };
    // The approver gets a copy, as of the arguments.
    const common = [...shared.keys()].map((name) => [name, copyJson(fields[name])] as const);
    return { calls, fields: Object.fromEntries(common) };
  }
}

function digestsOf(sent: unknown): Map<string, string> | undefined {
  const entries = isRecord(sent) ? Object.entries(sent) : [];
  const areCompared =
    entries.length <= MOST_FIELDS && entries.every(([name]) => name.length <= LONGEST_NAME);
  return areCompared ? new Map(entries.map(([name, value]) => [name, digestOf(value)])) : undefined;
}

function digestOf(value: unknown): string {
  return hash('sha256', canonicalJson(value as JsonValue), 'base64');
}
