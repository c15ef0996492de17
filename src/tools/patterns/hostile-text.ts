// Node takes quadratic time for both, and neither can be interrupted.
const MAXIMUM_HOST_CHARACTERS = 500;
const MAXIMUM_MARKS = 100;

/** What a schema does with texts that cannot be interrupted. */
export interface TextUses {
  /** Whether it parses texts as URLs. */
  readonly hasUrls: boolean;
  /** Whether it parses texts as the host of a URL. */
  readonly hasHosts: boolean;
  /** Whether it may convert texts to a Unicode normal form. */
  readonly hasNormalForms: boolean;
}

/**
 * Returns a function that says why a text is not passed to a schema: Node would take too long for
 * what the schema does with it. Undefined if the schema does none of that.
 */
export function textRefusal({
  hasUrls,
  hasHosts,
  hasNormalForms,
}: TextUses): ((text: string) => string | undefined) | undefined {
  if (!hasUrls && !hasHosts && !hasNormalForms) return undefined;
  return (text) => {
    if (hasNormalForms && text.length > MAXIMUM_MARKS && hasManyMarks(text)) {
      return `has more than ${MAXIMUM_MARKS} combining marks in a row`;
    }
    if (text.length <= MAXIMUM_HOST_CHARACTERS || !(hasUrls || hasHosts)) return undefined;
    return hasLongHost(text, hasHosts)
      ? `has a host name of more than ${MAXIMUM_HOST_CHARACTERS} characters`
      : undefined;
  };
}

/** Unicode's normal forms sort consecutive marks by comparing each with those before it. */
function hasManyMarks(text: string): boolean {
  for (const { 0: marks } of text.matchAll(/\p{M}+/gu)) {
    if (marks.length > MAXIMUM_MARKS) return true;
  }
  return false;
}

/**
 * Whether a text would be parsed as a URL with a long host that is not ASCII. zod parses IPv6
 * addresses in this way, too.
 */
function hasLongHost(text: string, isHost: boolean): boolean {
  // The parser ignores these characters anywhere.
  const url = text.replace(/[\t\n\r]/g, '');
  const start = /^[\0- ]*(?:https?|wss?|ftp|file):[/\\]*/i.exec(url)?.[0].length;
  // In an IPv6 address, the text after "@" would be the host.
  if (start === undefined && !(isHost && url.includes('@'))) return false;
  const authority = /^[^/\\?#]*/.exec(url.slice(start))?.[0] ?? '';
  // oxlint-disable-next-line no-control-regex -- it tells ASCII from all else
  return authority.length > MAXIMUM_HOST_CHARACTERS && /[^\0-\x7f]|%/.test(authority);
}
