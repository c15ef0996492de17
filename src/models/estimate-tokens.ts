/**
 * About how many tokens a text has: one for every four UTF-16 units, rounded up.
 * An approximation for models that run offline; a real tokenizer differs with language and content.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
