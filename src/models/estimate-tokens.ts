/**
 * Estimates the tokens of a text: one for every four UTF-16 units, rounded up. This is an
 * approximation for models that run offline; real tokenizers depend on language and content.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** About what Anthropic counts for an image with a million pixels: width × height / 750. */
const TOKENS_OF_FILE = 1400;

/**
 * Estimates the tokens of a request. Each image and each PDF counts as 1400, however long its
 * base64 text is.
 * @param request - A request in the format of this package or of Anthropic's Messages API.
 */
export function estimateRequestTokens(request: unknown): number {
  const { text, fileTokens } = withoutFiles(request);
  return estimateTokens(text) + fileTokens;
}

/**
 * Returns a request, or a part of one, as JSON text without its images and PDFs, and the estimated
 * tokens of these.
 */
export function withoutFiles(request: unknown): {
  readonly text: string;
  readonly fileTokens: number;
} {
  let files = 0;
  const text = JSON.stringify(request, (_key, value: unknown) => {
    if (!isFile(value)) return value;
    files += 1;
    return undefined;
  });
  return { text, fileTokens: files * TOKENS_OF_FILE };
}

/** Whether a value is an image or a PDF, and not a text document. */
function isFile(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  if (value.type === 'image') return true;
  if (value.type !== 'document' || 'text' in value) return false;
  const source = 'source' in value ? (value.source as { readonly type?: unknown }) : {};
  return source.type !== 'text';
}
