import { PtcError } from '../shared/errors.ts';
import type { JsonObject } from '../shared/json.ts';
import { toJsonObject } from './tool-input.ts';

/** The fields of a request that are not the caller's to set, each with what sets it. */
export type OwnedFields = Readonly<Record<string, string>>;

/**
 * A copy of the settings that an adapter does not know and puts into each request as they are.
 * @throws PtcError `OPTION_INVALID` for what is no object, and for a field that the adapter sets itself.
 */
export function extraFields(extra: JsonObject | undefined, owned: OwnedFields): JsonObject {
  if (extra === undefined) return {};
  if (toJsonObject(extra) === undefined) {
    throw new PtcError('OPTION_INVALID', 'extra must be an object of fields for each request.', {
      details: { option: 'extra' },
    });
  }
  for (const [field, source] of Object.entries(owned)) {
    if (Object.hasOwn(extra, field)) {
      throw new PtcError(
        'OPTION_INVALID',
        `extra cannot have the field ${field}, which comes from ${source}. Leave it out, or set it there.`,
        { details: { option: 'extra', field } },
      );
    }
  }
  return { ...extra };
}
