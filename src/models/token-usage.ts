import type { TokenUsage } from './language-model.ts';

export const NO_USAGE: TokenUsage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };

/**
 * Adds the usage of two answers. Counts that neither service reports stay absent. Sums are limited
 * to the largest safe integer, so that a stored conversation stays valid.
 */
export function addUsage(one: TokenUsage, other: TokenUsage): TokenUsage {
  const written = [one.cacheWriteInputTokens, other.cacheWriteInputTokens].filter(isCounted);
  const byTtl = [one.cacheWritesByTtl, other.cacheWritesByTtl].filter(isCounted);
  const byTier = [one.answersByServiceTier, other.answersByServiceTier].filter(isCounted);
  return {
    inputTokens: sum(one.inputTokens, other.inputTokens),
    outputTokens: sum(one.outputTokens, other.outputTokens),
    cachedInputTokens: sum(one.cachedInputTokens, other.cachedInputTokens),
    ...(written.length > 0 ? { cacheWriteInputTokens: written.reduce(sum) } : {}),
    ...(byTtl.length > 0 ? { cacheWritesByTtl: sumByName(byTtl.flatMap(Object.entries)) } : {}),
    ...(byTier.length > 0
      ? { answersByServiceTier: sumByName(byTier.flatMap(Object.entries)) }
      : {}),
  };
}

/** Adds the counts of each name. Names with a count of 0 are left out. */
export function sumByName(
  counts: readonly (readonly [name: string, count: number])[],
): Readonly<Record<string, number>> {
  const sums = new Map<string, number>();
  for (const [name, count] of counts) {
    if (count > 0) sums.set(name, sum(sums.get(name) ?? 0, count));
  }
  return Object.fromEntries(sums);
}

/** The part of an answer's usage with its service tier, if it is reported. */
export function tierOf(tier: unknown): Pick<TokenUsage, 'answersByServiceTier'> {
  return typeof tier === 'string' && tier !== '' ? { answersByServiceTier: { [tier]: 1 } } : {};
}

function sum(one: number, other: number): number {
  return Math.min(one + other, Number.MAX_SAFE_INTEGER);
}

function isCounted<Count>(count: Count | undefined): count is Count {
  return count !== undefined;
}
