/**
 * Extracts the program from what a model wrote: removes a byte order mark, and a Markdown fence
 * around the whole text. A fence inside a string is part of the program, and so is a fence of
 * another language.
 * @param names - Names that may follow the opening fence, such as `py`, in lower case.
 */
export function withoutFence(code: string, names: readonly string[]): string {
  const text = code.startsWith('\uFEFF') ? code.slice(1) : code;
  const trimmed = text.trim();
  const bodyStart = trimmed.indexOf('\n') + 1;
  const bodyEnd = trimmed.lastIndexOf('\n');
  // White space at the end is removed first, because two parts of the pattern would try every way
  // to share it.
  const firstLine = trimmed.slice(0, bodyStart).trimEnd();
  const opening = /^(`{3,}|~{3,})[ \t]*(\w*)$/.exec(firstLine);
  const [, fence = '', name = ''] = opening ?? [];
  const closing = trimmed.slice(bodyEnd + 1).trim();
  const isFenced =
    fence !== '' &&
    (name === '' || names.includes(name.toLowerCase())) &&
    closing.startsWith(fence) &&
    /^(?:`+|~+)$/.test(closing);
  return isFenced
    ? trimmed.slice(bodyStart, Math.max(bodyStart, bodyEnd)).replace(/\r$/, '')
    : text;
}
