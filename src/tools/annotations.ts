import { isRecord } from '../shared/guards.ts';
import {
  checkOptionNames,
  type OptionNames,
  type OptionsObject,
} from '../shared/options/option-names.ts';

/**
 * What a tool says about its effects, in the words of the Model Context Protocol. A hint that is left
 * out is unknown: nothing is assumed in its place.
 */
export interface ToolAnnotations {
  /** Whether a call changes nothing. */
  readonly readOnlyHint?: boolean;
  /** Whether a call can delete or overwrite something, and not only add to it. */
  readonly destructiveHint?: boolean;
  /** Whether the same call, made again, changes nothing more. */
  readonly idempotentHint?: boolean;
  /** Whether the tool deals with things that nobody can list, such as pages of the web. */
  readonly openWorldHint?: boolean;
}

export const ANNOTATION_NAMES: OptionNames<ToolAnnotations> = {
  readOnlyHint: 'boolean',
  destructiveHint: 'boolean',
  idempotentHint: 'boolean',
  openWorldHint: 'boolean',
};

const HINTS = Object.keys(ANNOTATION_NAMES) as readonly (keyof ToolAnnotations)[];

/**
 * A copy of annotations that the user has written.
 * @param object - What messages call them, and the page that describes them.
 * @throws PtcError with the code of the object, for a name that is not a hint, or a value that is not
 *   a boolean.
 */
export function checkAnnotations(
  annotations: ToolAnnotations,
  object: Pick<OptionsObject<ToolAnnotations>, 'of' | 'page' | 'code'>,
): ToolAnnotations {
  checkOptionNames(annotations, { ...object, names: ANNOTATION_NAMES });
  return readAnnotations(annotations);
}

/** The hints of a value that comes from elsewhere. Whatever else it has is dropped. */
export function readAnnotations(source: unknown): ToolAnnotations {
  if (!isRecord(source)) return Object.freeze({});
  const hints = HINTS.filter(
    (hint) => Object.hasOwn(source, hint) && typeof source[hint] === 'boolean',
  );
  return Object.freeze(Object.fromEntries(hints.map((hint) => [hint, source[hint]])));
}

/** Whether annotations have all the hints that are wanted, with the same values. */
export function hasAnnotations(annotations: ToolAnnotations, wanted: ToolAnnotations): boolean {
  return HINTS.every((hint) => wanted[hint] === undefined || annotations[hint] === wanted[hint]);
}
