import { PtcError } from '../shared/errors.ts';
import type { JsonObject, JsonValue } from '../shared/json.ts';
import { toJsonObject } from './tool-input.ts';

/** The fields of a request that are not the caller's to set, each with what sets it. */
export type OwnedFields = Readonly<Record<string, string>>;

/** What sets a field that has an option of its own, for the message about one that is set twice. */
export function optionNamed(name: string): string {
  return `the option ${name} (without that option, extra can have it)`;
}

/**
 * A copy of the settings that an adapter does not know and puts into each request as they are.
 * @throws PtcError `OPTION_INVALID` if it is not an object, or has a field that the adapter sets itself.
 */
export function extraFields(
  extra: JsonValue | undefined,
  owned: OwnedFields,
  option: string = 'extra',
): JsonObject {
  if (extra === undefined) return {};
  const fields = toJsonObject(extra);
  if (fields === undefined) {
    throw new PtcError('OPTION_INVALID', `${option} must be an object of fields for requests.`, {
      details: { option },
    });
  }
  for (const [field, source] of Object.entries(owned)) {
    if (Object.hasOwn(fields, field)) {
      throw new PtcError(
        'OPTION_INVALID',
        `${option} cannot have the field ${field}, which is set by ${source}. Leave it out of ${option}.`,
        { details: { option, field } },
      );
    }
  }
  return { ...fields };
}
