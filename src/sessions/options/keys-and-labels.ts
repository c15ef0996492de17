import { escapeLine } from '../../shared/control-characters.ts';
import type { Labels } from '../../shared/labels.ts';
import { isPlainObject } from '../../shared/options/option-kinds.ts';
import { invalidOption } from '../../shared/options/option-values.ts';

/**
 * @throws PtcError `OPTION_INVALID` for a key that is not text, is empty, or has half of a surrogate
 *   pair. UTF-8 has no such halves: all would become the same character, and two keys one.
 */
export function checkKeyText(option: string, key: unknown): void {
  if (typeof key !== 'string' || key === '' || !key.isWellFormed()) {
    throw invalidOption(
      option,
      key,
      'text of at least one character, without halves of surrogate pairs',
    );
  }
}

const LONGEST_ADVERTISED = 500;

/** @throws PtcError `OPTION_INVALID` for a text that is empty, too long, or more than one line to show. */
export function checkAdvertised(text: string | undefined): void {
  if (text === undefined) return;
  const isShown = text !== '' && text.isWellFormed() && escapeLine(text) === text;
  if (isShown && text.length <= LONGEST_ADVERTISED) return;
  const expected = `one line of at most ${LONGEST_ADVERTISED} characters, such as an address`;
  throw invalidOption('advertise', text, expected);
}

/**
 * Copies labels, so that they cannot change later.
 * @throws PtcError `OPTION_INVALID` for labels that are not a plain object, and a label that is not text.
 */
export function checkLabels(labels: Labels = {}): Labels {
  if (!isPlainObject(labels))
    throw invalidOption('labels', labels, 'an object of the form { name: text }');
  for (const [name, value] of Object.entries(labels)) {
    if (typeof value !== 'string') throw invalidOption(`labels.${name}`, value, 'text');
  }
  return Object.freeze({ ...labels });
}
