/** Longer keys are hardly names of fields. */
const LONGEST_NAME = 40;
/** Keys with more digits are mostly ids, dates or codes. */
const MOST_DIGITS = 3;

const isName = /^[@$_]*\p{L}[\p{L}\p{M}\p{N}_$-]*$/u;

/**
 * Whether the key of an object can be the name of a field, and may be shown. Others are data, such as
 * the addresses of people in an object that is used as a map.
 */
export function isFieldName(key: string): boolean {
  if (key.length > LONGEST_NAME || key === '__proto__' || !isName.test(key)) return false;
  return key.replaceAll(/\P{N}/gu, '').length <= MOST_DIGITS;
}
