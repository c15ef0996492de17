import { withoutFiles } from '../../models/estimate-tokens.ts';
import type { ModelMessage, ModelRequest } from '../../models/language-model.ts';
import { LoopPauses } from '../../shared/async/loop-pauses.ts';

/**
 * UTF-8 bytes per token. This is about right for English and code; other scripts have more bytes
 * per character.
 */
export const BYTES_PER_TOKEN = 4;

/** Messages are immutable, so each is measured once. */
const measured: WeakMap<ModelMessage, number> = new WeakMap();

/**
 * About how many tokens messages have. A service's count differs; `ContextWindow` corrects this.
 */
export function estimateMessages(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateMessage(message), 0);
}

/**
 * Measures messages with pauses between them, because a conversation may have very many. After
 * this, `estimateMessages` only adds up.
 */
export async function measureMessages(
  messages: readonly ModelMessage[],
  pauses: LoopPauses = new LoopPauses(),
): Promise<void> {
  for (const message of messages) {
    if (measured.has(message)) continue;
    const pause = pauses.next();
    if (pause !== undefined) await pause;
    estimateMessage(message);
  }
}

/** About how many tokens of a request are not messages: its system prompt and its tools. */
export function estimateFixedPart({
  system,
  tools,
}: Pick<ModelRequest, 'system' | 'tools'>): number {
  return estimate(system) + (tools.length > 0 ? estimate(JSON.stringify(tools)) : 0);
}

function estimateMessage(message: ModelMessage): number {
  const known = measured.get(message);
  if (known !== undefined) return known;
  const { message: rest, fileTokens } = withoutFiles(message);
  const tokens = estimate(JSON.stringify(rest)) + fileTokens;
  measured.set(message, tokens);
  return tokens;
}

function estimate(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}
