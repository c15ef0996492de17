/**
 * The value at a JSON pointer of a document, such as `#/components/schemas/Pet`; undefined for other
 * references and for one that leads nowhere.
 */
export function targetOf(root: object, reference: string): unknown {
  if (!reference.startsWith('#/') || reference.length > MAXIMUM_LENGTH) return undefined;
  let at: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const name = unescaped(part);
    // What an object inherits is not in the document.
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  return at;
}

const MAXIMUM_LENGTH = 2000;

/** The name that a part of a pointer stands for. Many documents do not encode a `%`. */
export function unescaped(part: string): string {
  let decoded = part;
  try {
    decoded = decodeURIComponent(part);
  } catch {
    // It is meant as it is.
  }
  return decoded.replaceAll('~1', '/').replaceAll('~0', '~');
}
