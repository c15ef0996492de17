import { isRecord } from '../../../shared/guards.ts';
import type { JsonValue } from '../../../shared/json/json.ts';
import type { ApprovalGrant } from './grant.ts';

/** Of how many places calls are remembered. */
const MOST_PLACES = 100;
/** How many arguments of a call are compared with those of the next one. */
const MOST_FIELDS = 20;
/** The longest text that is compared, in UTF-16 units. */
const LONGEST_TEXT = 200;
const MOST_CALLS = 10_000;

/** The calls of one tool that one line of a program makes. */
interface Place {
  asked: number;
  /** The arguments that all of them have, with the same values. */
  readonly shared: Map<string, JsonValue>;
}

/** What to propose to the approver of the calls of one program. What is remembered is bounded. */
export class GrantProposals {
  readonly #places: Map<string, Place> = new Map();

  /**
   * The approver is asked about a call.
   * @param line - That of the program. Calls whose line is not known count as of one line.
   * @returns a grant for as many further calls as a loop may make that goes on: twice as many as were
   *   asked. They must have what all calls had in common. Undefined for the first call.
   */
  propose(toolName: string, line: number | undefined, sent: unknown): ApprovalGrant | undefined {
    const key = `${line} ${toolName}`;
    const place = this.#places.get(key);
    if (place === undefined) {
      if (this.#places.size < MOST_PLACES)
        this.#places.set(key, { asked: 1, shared: fieldsOf(sent) });
      return undefined;
    }
    place.asked += 1;
    const fields = isRecord(sent) ? sent : {};
    for (const [name, value] of place.shared) {
      if (!Object.hasOwn(fields, name) || fields[name] !== value) place.shared.delete(name);
    }
    const calls = Math.min(2 * place.asked, MOST_CALLS);
    return place.shared.size === 0
      ? { calls }
      : { calls, fields: Object.fromEntries(place.shared) };
  }
}

/** The arguments that are short and can be compared. */
function fieldsOf(sent: unknown): Map<string, JsonValue> {
  const entries = isRecord(sent) ? Object.entries(sent) : [];
  return new Map(entries.filter(isShort).slice(0, MOST_FIELDS));
}

function isShort(
  entry: [name: string, value: unknown],
): entry is [string, string | number | boolean] {
  const [name, value] = entry;
  if (name.length > LONGEST_TEXT) return false;
  if (typeof value === 'string') return value.length <= LONGEST_TEXT;
  return typeof value === 'number' || typeof value === 'boolean';
}
