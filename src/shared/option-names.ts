import { closestMatch } from 'leven';
import { PtcError, type PtcErrorCode } from './errors.ts';

/** The names of all options of an object. With this type, the compiler finds one that is missing. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/** An object of options, for the message about a name that it does not have. */
export interface OptionsObject<Options> {
  /** Such as `SandboxExecutor` or `limits`. */
  readonly of: string;
  readonly names: OptionNames<Options>;
  /** Where they are described, such as `docs/sessions.md`. */
  readonly page: string;
  /** Other words that people use, and the names that they mean. @default none */
  readonly otherWords?: Readonly<Record<string, keyof Options & string>>;
  /** @default OPTION_INVALID */
  readonly code?: PtcErrorCode;
  /**
   * Whether the object can have members of its own, as one of a class does. Then only names are
   * refused that look like another word for an option. @default false
   */
  readonly isOpen?: boolean;
}

/** A misspelt name is at most this many characters away from the right one. */
const MAX_DISTANCE = 3;

/**
 * Refuses what is not an object, and names that no option has: an option that is ignored without a
 * word, such as a misspelt limit, would be a hole. A name without a value counts as not given.
 * @throws PtcError `OPTION_INVALID`, or the code of the object.
 */
export function checkOptionNames<Options>(options: unknown, object: OptionsObject<Options>): void {
  const { of, names, page, code = 'OPTION_INVALID', isOpen = false } = object;
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const given = Array.isArray(options) ? 'an array' : JSON.stringify(options);
    throw new PtcError(code, `The options of ${of} must be an object, not ${given}. See ${page}.`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(names, name)) continue;
    const meant = isOpen ? misspeltName(name, object) : meantName(name, object);
    if (isOpen && meant === undefined) continue;
    const advice = meant === undefined ? '' : ` Did you mean ${meant}?`;
    throw new PtcError(code, `${of} has no option ${name}.${advice} See ${page}.`, {
      details: { option: name, ...(meant !== undefined && { meant }) },
    });
  }
}

function meantName<Options>(name: string, object: OptionsObject<Options>): string | undefined {
  const word = name.toLowerCase();
  const part = Object.keys(object.names).find((one) => {
    const known = one.toLowerCase();
    return known.includes(word) || word.includes(known);
  });
  return misspeltName(name, object) ?? part;
}

function misspeltName<Options>(
  name: string,
  { names, otherWords = {} }: OptionsObject<Options>,
): string | undefined {
  if (Object.hasOwn(otherWords, name)) return otherWords[name];
  // Among short names, other words are as close as misspelt ones.
  const maxDistance = Math.min(MAX_DISTANCE, Math.round(0.4 * name.length));
  return closestMatch(name, Object.keys(names), { maxDistance });
}
