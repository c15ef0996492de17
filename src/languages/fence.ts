/**
 * The program inside what a model wrote: without a byte order mark, and without a Markdown fence around
 * all of it. A fence inside a string is part of the program, and so is one of another language.
 * @param names - What may stand behind the opening fence, such as `py`, in lower case.
 */
export function withoutFence(code: string, names: readonly string[]): string {
  const text = code.startsWith('\uFEFF') ? code.slice(1) : code;
  const trimmed = text.trim();
  const bodyStart = trimmed.indexOf('\n') + 1;
  const bodyEnd = trimmed.lastIndexOf('\n');
  // Without white space at its end, of which two parts of the pattern would try each way to share it.
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
