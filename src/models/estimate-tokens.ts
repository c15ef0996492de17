/**
 * About how many tokens a text has: one for every four UTF-16 units, rounded up.
 * An approximation for models that run offline; a real tokenizer differs with language and content.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** About what Anthropic counts for an image of a million pixels: width × height / 750. */
const TOKENS_OF_FILE = 1400;

/**
 * About how many tokens a request has. Each image and each PDF counts 1400, however long its base64 is.
 * @param request - What goes to a model, in the words of this package or of Anthropic's Messages API.
 */
export function estimateRequestTokens(request: unknown): number {
  const { text, fileTokens } = withoutFiles(request);
  return estimateTokens(text) + fileTokens;
}

/** A request, or a part of it, as JSON text without its images and PDFs, and about how many tokens these have. */
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

/** Whether it is an image or a PDF, and not a document of text. */
function isFile(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  if (value.type === 'image') return true;
  if (value.type !== 'document' || 'text' in value) return false;
  const source = 'source' in value ? (value.source as { readonly type?: unknown }) : {};
  return source.type !== 'text';
}
