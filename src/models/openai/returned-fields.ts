import { given } from '../../shared/given.ts';
import type { JsonObject } from '../../shared/json/json.ts';
import type { AssistantBlock } from '../language-model.ts';
import { toJsonObject } from '../shared/tool-input.ts';

/** The fields in which services stream thinking. OpenAI itself does not return any. */
export const THINKING_FIELDS = ['reasoning_content', 'reasoning'] as const;
export type ThinkingField = (typeof THINKING_FIELDS)[number];

/** What `OpenAIAnswer` has of the fields that OpenAI's own API does not have. */
export interface ReturnedFields {
  /** The host of the service. Another one with a model of the same id may refuse the fields. */
  readonly service: string;
  /** The thinking, by the name of its field. */
  readonly thinking: ReadonlyMap<ThinkingField, string>;
  /** The field `extra_content` of each call; undefined if it has none. */
  readonly extras: readonly (JsonObject | undefined)[];
}

/**
 * A block with what some services want back with the answer. DeepSeek and Kimi refuse the result of a
 * call without the thinking that led to it, and Gemini without the signature that the call has.
 */
export function returnedBlock({ service, thinking, extras }: ReturnedFields): AssistantBlock[] {
  const hasExtras = extras.some((extra) => extra !== undefined);
  if (thinking.size === 0 && !hasExtras) return [];
  const texts = [...thinking].map(([field, text]) => [field, text.toWellFormed()]);
  const calls = hasExtras ? { extra_content: extras.map((extra) => extra ?? null) } : {};
  return [{ type: 'opaque', value: { service, ...Object.fromEntries(texts), ...calls } }];
}

/**
 * The fields of such a block, as they were.
 * @param service - The host that gets them.
 * @returns the fields of the message, and those of each of its calls. Opaque blocks of other adapters
 * and services have none.
 */
export function returnedFields(
  content: readonly AssistantBlock[],
  service: string,
): {
  readonly ofMessage: JsonObject;
  readonly ofCall: (index: number) => JsonObject;
} {
  let ofMessage: JsonObject = {};
  let extras: readonly unknown[] = [];
  for (const block of content) {
    if (block.type !== 'opaque') continue;
    const { value } = block;
    if (value['service'] !== service) continue;
    for (const field of THINKING_FIELDS) {
      const text = value[field];
      if (typeof text === 'string') ofMessage = { ...ofMessage, [field]: text };
    }
    if (Array.isArray(value['extra_content'])) extras = value['extra_content'];
  }
  const ofCall = (index: number): JsonObject =>
    given({ extra_content: toJsonObject(extras[index]) });
  return { ofMessage, ofCall };
}
