import { messageOf, PtcError, type PtcErrorCode } from '../errors.ts';
import { nearestName } from '../nearest-name.ts';
import { isOfKind, isPlainObject, OPTION_KINDS, type OptionKind } from './option-kinds.ts';
import { showValue } from '../show-value.ts';

/**
 * The names of all options of an object, each with the kind of its value, or `true` if whoever
 * uses it checks that. With this type, the compiler finds a name that is missing.
 */
export type OptionNames<Options> = Readonly<Record<keyof Options, OptionKind | true>>;

type NameOf<Options> = keyof Options & string;

/** An object of options, for the message about a name that it does not have. */
export interface OptionsObject<Options> {
  /** Such as `SandboxExecutor` or `limits`. */
  readonly of: string;
  readonly names: OptionNames<Options>;
  /** Where they are described, such as `docs/sessions.md`. */
  readonly page: string;
  /**
   * Other words that people use, and the names that they mean. `executor.pool` is in another object
   * of options. @default none
   */
  readonly otherWords?: Readonly<Record<string, NameOf<Options> | `${NameOf<Options>}.${string}`>>;
  /** The options that must be given. @default none */
  readonly required?: readonly (keyof Options & string)[];
  /** @default OPTION_INVALID */
  readonly code?: PtcErrorCode;
  /**
   * Whether the object can have members of its own: always, or if it is one of a class. Then only
   * names are refused that look like another word for an option. @default false: only a plain object
   * is accepted
   */
  readonly isOpen?: boolean | 'if of a class';
}

/**
 * Refuses what is not an object, names that no option has, missing options, and values of another kind: an option
 * that is ignored without a word, such as a misspelt limit, would be a hole. A name without a value
 * counts as not given.
 * @throws PtcError `OPTION_INVALID`, or the code of the object.
 */
export function checkOptionNames<Options>(options: unknown, object: OptionsObject<Options>): void {
  const { of, names, page, required = [], code = 'OPTION_INVALID' } = object;
  const values = readOptions(options, object);
  const isOpen = object.isOpen === 'if of a class' ? !isOfKind(options, 'plain') : object.isOpen;
  const unknown = [...values]
    .filter(([name, value]) => value !== undefined && !Object.hasOwn(names, name))
    .map(([name]) => ({
      name,
      meant: isOpen === true ? misspeltName(name, object) : meantName(name, object),
    }));
  // Of several, the one that says most.
  const refused =
    unknown.find(({ meant }) => meant !== undefined) ?? (isOpen === true ? undefined : unknown[0]);
  if (refused !== undefined) {
    const { name, meant } = refused;
    const advice = meant === undefined ? '' : ` Did you mean ${meant}?`;
    throw new PtcError(code, `${of} has no option ${name}.${advice} See ${page}.`, {
      details: { option: name, ...(meant !== undefined && { meant }) },
    });
  }
  for (const name of required) {
    if (values.get(name) !== undefined) continue;
    throw new PtcError(code, `${of} needs the option ${name}. See ${page}.`, {
      details: { option: name },
    });
  }
  for (const [name, kind] of Object.entries<OptionKind | true>(names)) {
    const value = values.get(name);
    if (kind === true || value === undefined) continue;
    if (isOfKind(value, kind)) continue;
    const { expected } = OPTION_KINDS[kind];
    const message = `${of}: ${name} must be ${expected}, not ${showValue(value)}. See ${page}.`;
    throw new PtcError(code, message, { details: { option: name, value } });
  }
}

/**
 * The values of an object of options, by their names.
 * @throws PtcError if it is not such an object, or if reading it fails.
 */
function readOptions<Options>(
  options: unknown,
  { of, names, page, code = 'OPTION_INVALID', isOpen = false }: OptionsObject<Options>,
): ReadonlyMap<string, unknown> {
  let values: ReadonlyMap<string, unknown> | undefined;
  try {
    if (isOpen === false ? isPlainObject(options) : isOfKind(options, 'object')) {
      const read = options as Readonly<Record<string, unknown>>;
      // The known names too: a proxy can have values of names that it does not list.
      const known = Object.keys(names).map((name) => [name, read[name]] as const);
      values = new Map([...Object.entries(read), ...known]);
    }
  } catch (cause) {
    const why = messageOf(cause);
    throw new PtcError(code, `The options of ${of} cannot be read: ${why}. See ${page}.`, {
      cause,
    });
  }
  if (values !== undefined) return values;
  const given = showValue(options);
  const what = given === 'an object' ? 'one of a class' : given;
  const form = given === 'an object' ? 'a plain object, { … }' : 'an object';
  throw new PtcError(code, `The options of ${of} must be ${form}, not ${what}. See ${page}.`);
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
  return nearestName(name, Object.keys(names));
}
