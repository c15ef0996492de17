import type { TokenUsage } from './language-model.ts';

export const NO_USAGE: TokenUsage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };

/**
 * What two answers took together. What neither service counts stays absent. A sum ends at the largest number that is exact, so
 * that a conversation with such a sum can be read again.
 */
export function addUsage(one: TokenUsage, other: TokenUsage): TokenUsage {
  const written = [one.cacheWriteInputTokens, other.cacheWriteInputTokens].filter(isCounted);
  const byTtl = [one.cacheWritesByTtl, other.cacheWritesByTtl].filter(isCounted);
  return {
    inputTokens: sum(one.inputTokens, other.inputTokens),
    outputTokens: sum(one.outputTokens, other.outputTokens),
    cachedInputTokens: sum(one.cachedInputTokens, other.cachedInputTokens),
    ...(written.length > 0 ? { cacheWriteInputTokens: written.reduce(sum) } : {}),
    ...(byTtl.length > 0 ? { cacheWritesByTtl: sumByTtl(byTtl.flatMap(Object.entries)) } : {}),
  };
}

/** Sums the tokens of each time to live. One for which none was written is left out. */
export function sumByTtl(
  counts: readonly (readonly [ttl: string, tokens: number])[],
): Readonly<Record<string, number>> {
  const sums = new Map<string, number>();
  for (const [ttl, tokens] of counts) {
    if (tokens > 0) sums.set(ttl, sum(sums.get(ttl) ?? 0, tokens));
  }
  return Object.fromEntries(sums);
}

function sum(one: number, other: number): number {
  return Math.min(one + other, Number.MAX_SAFE_INTEGER);
}

function isCounted<Count>(count: Count | undefined): count is Count {
  return count !== undefined;
}
