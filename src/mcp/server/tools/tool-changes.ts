import type { ToolSet } from '../../../tools/registry/tool-set.ts';

/** The shortest time between two announcements. A client that reads slowly must not collect them. */
const PAUSE_MS = 1000;

/**
 * Announces that the tools have changed: changes that come together once, and once a second at most.
 * @param announce - Never throws.
 * @returns a function that ends this.
 */
export function announceChanges(tools: ToolSet, announce: () => void): () => void {
  let isDue = false;
  let timer: NodeJS.Timeout | undefined;
  const next = (): void => {
    timer = undefined;
    if (!isDue) return;
    isDue = false;
    announce();
    timer = setTimeout(next, PAUSE_MS).unref();
  };
  const unsubscribe = tools.onChange?.(() => {
    isDue = true;
    timer ??= setTimeout(next);
  });
  return () => {
    clearTimeout(timer);
    unsubscribe?.();
  };
}
