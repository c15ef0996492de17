import { Buffer } from 'node:buffer';
import { PtcError } from '../../shared/errors.ts';
import type {
  AnswerBlock,
  BlockDelta,
  BlockStart,
  ConverseAnswer,
  ConverseEvent,
  ConverseUsage,
  ReasoningDelta,
} from './client.ts';
import type {
  AssistantBlock,
  ModelStreamEnd,
  ModelStreamPart,
  StopReason,
  TokenUsage,
} from '../language-model.ts';
import { sumByName, tierOf } from '../token-usage.ts';
import { parseToolInput, toJsonObject } from '../tool-input.ts';

const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['end_turn', 'end'],
  ['stop_sequence', 'end'],
  ['tool_use', 'tool-use'],
  ['max_tokens', 'max-tokens'],
  ['model_context_window_exceeded', 'context-window-exceeded'],
  ['guardrail_intervened', 'refusal'],
  ['content_filtered', 'refusal'],
]);

/**
 * The service could not parse the model's output. The same request can succeed, because models
 * sample at random.
 */
const MALFORMED: ReadonlySet<string> = new Set(['malformed_model_output', 'malformed_tool_use']);

/** A content block that is not complete yet. */
interface OpenBlock {
  readonly tool: { readonly id: string; readonly name: string } | undefined;
  kind: 'text' | 'thinking' | 'redacted' | 'tool';
  text: string;
  signature: string;
  readonly redacted: Uint8Array[];
}

/** Assembles the events of a ConverseStream into one answer. */
export class BedrockAnswer {
  readonly #blocks = new Map<number, OpenBlock>();
  #metadata: ConverseEvent['metadata'];
  #stopReason: string | undefined;

  /** Whether all of its content has arrived. Until then, no part of it may be used. */
  get complete(): boolean {
    return this.#stopReason !== undefined;
  }

  /** Handles the next event. Returns the part of the stream that it leads to, if any. */
  take(event: ConverseEvent): ModelStreamPart | undefined {
    if (event.contentBlockStart !== undefined) {
      const { contentBlockIndex = 0, start } = event.contentBlockStart;
      return start && this.#open(contentBlockIndex, start);
    }
    if (event.contentBlockDelta !== undefined) {
      const { contentBlockIndex = 0, delta } = event.contentBlockDelta;
      return delta && this.#extend(contentBlockIndex, delta);
    }
    if (event.messageStop !== undefined) this.#stopReason = event.messageStop.stopReason ?? '';
    if (event.metadata !== undefined) this.#metadata = event.metadata;
    return undefined;
  }

  end(): ModelStreamEnd {
    const content = [...this.#blocks.values()].map(closeBlock);
    return endPart(content, this.#stopReason ?? '', this.#metadata);
  }

  #open(index: number, start: BlockStart): ModelStreamPart {
    const { toolUse } = start;
    if (toolUse === undefined || toolUse.type !== undefined) throw unreadable(start);
    const tool = { id: toolUse.toolUseId ?? '', name: toolUse.name ?? '' };
    this.#blocks.set(index, { tool, kind: 'tool', text: '', signature: '', redacted: [] });
    return { type: 'tool-use-start', ...tool };
  }

  #extend(index: number, delta: BlockDelta): ModelStreamPart | undefined {
    // Only tool calls have a start event.
    const block = this.#blocks.get(index) ?? {
      tool: undefined,
      kind: 'text',
      text: '',
      signature: '',
      redacted: [],
    };
    this.#blocks.set(index, block);
    if (delta.text !== undefined) {
      block.text += delta.text;
      return delta.text === '' ? undefined : { type: 'text-delta', text: delta.text };
    }
    if (delta.toolUse !== undefined && block.tool !== undefined) {
      const json = delta.toolUse.input ?? '';
      block.text += json;
      return { type: 'tool-input-delta', id: block.tool.id, json };
    }
    if (delta.reasoningContent !== undefined) return think(block, delta.reasoningContent);
    // A citation repeats the source of a text; the text itself is a separate delta.
    if (delta.citation !== undefined) return undefined;
    throw unreadable(delta);
  }
}

/** The end of an answer that was not streamed. */
export function wholeAnswer(answer: ConverseAnswer): ModelStreamEnd {
  const content = answer.output?.message?.content ?? [];
  return endPart(content.map(toBlock), answer.stopReason ?? '', answer);
}

function think(
  block: OpenBlock,
  { text, signature, redactedContent }: ReasoningDelta,
): ModelStreamPart | undefined {
  block.kind = redactedContent === undefined ? block.kind : 'redacted';
  if (block.kind === 'text') block.kind = 'thinking';
  block.text += text ?? '';
  block.signature += signature ?? '';
  if (redactedContent !== undefined) block.redacted.push(redactedContent);
  return text === undefined || text === '' ? undefined : { type: 'thinking-delta', text };
}

function closeBlock({ tool, kind, text, signature, redacted }: OpenBlock): AssistantBlock {
  if (tool !== undefined) return { type: 'tool-use', ...tool, input: parseToolInput(text) };
  switch (kind) {
    case 'thinking':
      return { type: 'thinking', thinking: text, signature };
    case 'redacted':
      return redactedThinking(Buffer.concat(redacted));
    default:
      return { type: 'text', text };
  }
}

function toBlock(block: AnswerBlock): AssistantBlock {
  if (block.text !== undefined) return { type: 'text', text: block.text };
  if (block.toolUse !== undefined && block.toolUse.type === undefined) {
    const { toolUseId = '', name = '', input } = block.toolUse;
    return { type: 'tool-use', id: toolUseId, name, input: toJsonObject(input) };
  }
  const { reasoningText, redactedContent } = block.reasoningContent ?? {};
  if (reasoningText !== undefined) {
    const { text = '', signature = '' } = reasoningText;
    return { type: 'thinking', thinking: text, signature };
  }
  if (redactedContent !== undefined) return redactedThinking(redactedContent);
  throw unreadable(block);
}

function redactedThinking(data: Uint8Array): AssistantBlock {
  const redactedData = Buffer.from(data).toString('base64');
  return { type: 'thinking', thinking: '', signature: '', redactedData };
}

function endPart(
  content: readonly AssistantBlock[],
  rawStopReason: string,
  { usage, serviceTier }: NonNullable<ConverseEvent['metadata']> = {},
): ModelStreamEnd {
  if (MALFORMED.has(rawStopReason)) throw malformed(rawStopReason);
  return {
    type: 'end',
    content,
    stopReason: stopReasonOf(rawStopReason, content),
    rawStopReason,
    usage: { ...toUsage(usage), ...tierOf(serviceTier?.type) },
  };
}

/** The service counts cached tokens separately. */
function toUsage(usage: ConverseUsage = {}): TokenUsage {
  const { cacheReadInputTokens: read = 0, cacheWriteInputTokens: written, cacheDetails } = usage;
  const byTtl = cacheDetails?.map(({ ttl = '', inputTokens = 0 }) => [ttl, inputTokens] as const);
  return {
    inputTokens: (usage.inputTokens ?? 0) + read + (written ?? 0),
    outputTokens: usage.outputTokens ?? 0,
    cachedInputTokens: read,
    ...(written === undefined ? {} : { cacheWriteInputTokens: written }),
    ...(byTtl === undefined ? {} : { cacheWritesByTtl: sumByName(byTtl) }),
  };
}

/**
 * Some models on Bedrock return `end_turn` with a tool call in the answer, or `tool_use` without
 * one.
 */
function stopReasonOf(raw: string, content: readonly AssistantBlock[]): StopReason {
  const reason = STOP_REASONS.get(raw) ?? 'unknown';
  if (reason !== 'end' && reason !== 'tool-use') return reason;
  return content.some((block) => block.type === 'tool-use') ? 'tool-use' : 'end';
}

function malformed(stopReason: string): PtcError {
  const details = { stopReason, retriedByClient: false };
  return new PtcError(
    'MODEL_REQUEST_FAILED',
    `Bedrock could not parse the model's output, and stopped with ${stopReason}. Send the request again, or use another model.`,
    { details },
  );
}

function unreadable(part: object): PtcError {
  return new PtcError(
    'MODEL_REQUEST_FAILED',
    `The model's answer has a part that is not text, thinking or a tool call (${Object.keys(part).join(', ')}), and cannot be used. Use a model or settings without it.`,
    { details: { part } },
  );
}
