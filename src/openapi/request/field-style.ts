import { isRecord } from '../../shared/guards.ts';
import type { Body } from '../document/body.ts';
import { encodingOf } from '../document/media-types.ts';
import type { Style } from '../document/parameters.ts';

const STYLES: ReadonlySet<unknown> = new Set<Style>([
  'form',
  'spaceDelimited',
  'pipeDelimited',
  'deepObject',
]);

/** How the document says that a field of a form is written; undefined if it does not say it. */
export function fieldStyleOf(
  encodings: Body['encodings'],
  name: string,
): { readonly style: Style; readonly explode: boolean } | undefined {
  const encoding = Object.hasOwn(encodings, name) ? encodings[name] : undefined;
  const { style, explode, contentType } = isRecord(encoding) ? encoding : {};
  if (STYLES.has(style)) {
    const isExploded = typeof explode === 'boolean' ? explode : style === 'form';
    return { style: style as Style, explode: isExploded };
  }
  const isJson = typeof contentType === 'string' && encodingOf(contentType) === 'json';
  return isJson ? { style: 'json', explode: true } : undefined;
}
