import { PtcError } from '../../shared/errors.ts';
import { invalidOption } from '../../shared/options/option-values.ts';
import type { JsonObject, JsonValue } from '../../shared/json/json.ts';
import { toJsonObject } from './tool-input.ts';

/** The fields of a request that the caller may not set, each with the source of its value. */
export type OwnedFields = Readonly<Record<string, string>>;

/**
 * The fields that options set, for the error message about `extra`.
 * @param fields - The option that sets each field.
 */
export function fieldsOfOptions<Options extends object>(
  options: Options,
  fields: Readonly<Record<string, keyof Options & string>>,
): OwnedFields {
  const set = Object.entries(fields).filter(([, option]) => options[option] !== undefined);
  return Object.fromEntries(
    set.map(([field, option]) => [
      field,
      `the option ${option} (leave that option out to set the field in extra)`,
    ]),
  );
}

/**
 * Copies the fields that an adapter adds to each request unchanged.
 * @throws PtcError `OPTION_INVALID` if it is not an object, or has a field that the adapter sets.
 */
export function extraFields(
  extra: JsonValue | undefined,
  owned: OwnedFields,
  option: string = 'extra',
): JsonObject {
  if (extra === undefined) return {};
  const fields = toJsonObject(extra);
  if (fields === undefined) {
    throw invalidOption(option, extra, 'an object with fields of requests');
  }
  for (const [field, source] of Object.entries(owned)) {
    if (Object.hasOwn(fields, field)) {
      throw new PtcError(
        'OPTION_INVALID',
        `${option} cannot have the field ${field}, because ${source} sets it. Remove it from ${option}.`,
        { details: { option, field } },
      );
    }
  }
  return { ...fields };
}
