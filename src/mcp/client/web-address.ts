/** The parsed form of an address that begins with http:// or https://; undefined for anything else. */
export function webAddress(value: unknown): URL | undefined {
  const text = String(value);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) ? url : undefined;
}
