import type { TokenUsage } from './language-model.ts';

export const NO_USAGE: TokenUsage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };

/** What two answers took together. What neither service counts stays absent. */
export function addUsage(one: TokenUsage, other: TokenUsage): TokenUsage {
  const written = [one.cacheWriteInputTokens, other.cacheWriteInputTokens].filter(isCounted);
  const byTtl = [one.cacheWritesByTtl, other.cacheWritesByTtl].filter(isCounted);
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    ...(written.length > 0 ? { cacheWriteInputTokens: written.reduce((a, b) => a + b) } : {}),
    ...(byTtl.length > 0 ? { cacheWritesByTtl: sumByTtl(byTtl.flatMap(Object.entries)) } : {}),
  };
}

/** Sums the tokens of each time to live. One for which none was written is left out. */
export function sumByTtl(
  counts: readonly (readonly [ttl: string, tokens: number])[],
): Readonly<Record<string, number>> {
  const sums = new Map<string, number>();
  for (const [ttl, tokens] of counts) {
    if (tokens > 0) sums.set(ttl, (sums.get(ttl) ?? 0) + tokens);
  }
  return Object.fromEntries(sums);
}

function isCounted<Count>(count: Count | undefined): count is Count {
  return count !== undefined;
}
