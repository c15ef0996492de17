import { Buffer } from 'node:buffer';
import type {
  ContentBlock,
  ContentBlockDelta,
  ContentBlockStart,
  ConverseCommandOutput,
  ConverseStreamMetadataEvent,
  ConverseStreamOutput,
  ReasoningContentBlockDelta,
  TokenUsage as ConverseUsage,
} from '@aws-sdk/client-bedrock-runtime';
import { PtcError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/guards.ts';
import { answerParts } from '../answer-parts.ts';
import type {
  AssistantBlock,
  ModelStreamEnd,
  ModelStreamPart,
  StopReason,
  TokenUsage,
} from '../language-model.ts';
import type { AnswerBuilder } from '../shared/stream-answer.ts';
import { MAX_PARTS, tooManyParts } from '../shared/answer-limits.ts';
import { sumByName, tierOf } from '../token-usage.ts';
import { parseToolInput, readToolInput } from '../shared/tool-input.ts';

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

type Metadata = Partial<Pick<ConverseStreamMetadataEvent, 'usage' | 'serviceTier'>>;

/** A content block that is not complete yet. */
interface OpenBlock {
  readonly tool: { readonly id: string; readonly name: string } | undefined;
  kind: 'text' | 'thinking' | 'redacted' | 'tool';
  text: string;
  signature: string;
  readonly redacted: Uint8Array[];
}

/** Assembles the events of a ConverseStream into one answer. */
export class StreamedAnswer implements AnswerBuilder<unknown> {
  readonly #model: string;
  readonly #blocks = new Map<number, OpenBlock>();
  #metadata: Metadata | undefined;
  #stopReason: string | undefined;

  constructor(model: string) {
    this.#model = model;
  }

  get complete(): boolean {
    return this.#stopReason !== undefined;
  }

  /** The metadata comes last. */
  get ended(): boolean {
    return this.complete && this.#metadata !== undefined;
  }

  *take(given: unknown): Generator<ModelStreamPart> {
    const event = given as ConverseStreamOutput;
    if (event.contentBlockStart?.start !== undefined) {
      const { contentBlockIndex = 0, start } = event.contentBlockStart;
      yield this.#open(contentBlockIndex, start);
    } else if (event.contentBlockDelta?.delta !== undefined) {
      const { contentBlockIndex = 0, delta } = event.contentBlockDelta;
      yield* this.#extend(contentBlockIndex, delta);
    } else if (event.messageStop !== undefined) {
      this.#stopReason = event.messageStop.stopReason ?? '';
    } else if (event.metadata !== undefined) this.#metadata = event.metadata;
  }

  end(): ModelStreamEnd {
    const content = [...this.#blocks.values()].map(closeBlock);
    return endPart(content, this.#stopReason, this.#metadata);
  }

  #open(index: number, start: ContentBlockStart): ModelStreamPart {
    const { toolUse } = start;
    // Only the service's own tools have a type.
    if (toolUse === undefined || toolUse.type !== undefined) throw unreadable(start);
    const tool = { id: toolUse.toolUseId ?? '', name: toolUse.name ?? '' };
    this.#keep(index, { tool, kind: 'tool', text: '', signature: '', redacted: [] });
    return { type: 'tool-use-started', ...tool };
  }

  #keep(index: number, block: OpenBlock): void {
    this.#blocks.set(index, block);
    if (this.#blocks.size > MAX_PARTS) throw tooManyParts(this.#model);
  }

  *#extend(index: number, delta: ContentBlockDelta): Generator<ModelStreamPart> {
    // Only tool calls have a start event.
    const block = this.#blocks.get(index) ?? {
      tool: undefined,
      kind: 'text',
      text: '',
      signature: '',
      redacted: [],
    };
    this.#keep(index, block);
    if (delta.text !== undefined) {
      block.text += delta.text;
      if (delta.text !== '') yield { type: 'text-delta', text: delta.text };
    } else if (delta.toolUse !== undefined && block.tool !== undefined) {
      const json = delta.toolUse.input ?? '';
      block.text += json;
      yield { type: 'tool-input-delta', id: block.tool.id, json };
    } else if (delta.reasoningContent !== undefined) {
      yield* think(block, delta.reasoningContent);
    }
    // A citation repeats the source of a text; the text itself is a separate delta.
    else if (delta.citation === undefined) throw unreadable(delta);
  }
}

/** An answer that is not streamed. */
export class WholeAnswer implements AnswerBuilder<unknown> {
  #end: ModelStreamEnd = endPart([], undefined);
  #complete = false;

  get complete(): boolean {
    return this.#complete;
  }

  *take(given: unknown): Generator<ModelStreamPart> {
    const answer: Partial<ConverseCommandOutput> = isRecord(given) ? given : {};
    const content = answer.output?.message?.content ?? [];
    this.#end = endPart(content.map(toBlock), answer.stopReason, answer);
    this.#complete = true;
    yield* answerParts(this.#end.content);
  }

  end(): ModelStreamEnd {
    return this.#end;
  }
}

function* think(
  block: OpenBlock,
  { text = '', signature = '', redactedContent }: ReasoningContentBlockDelta,
): Generator<ModelStreamPart> {
  if (redactedContent !== undefined) {
    block.kind = 'redacted';
    block.redacted.push(redactedContent);
  } else if (block.kind === 'text') block.kind = 'thinking';
  block.text += text;
  block.signature += signature;
  if (text !== '') yield { type: 'thinking-delta', text };
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

function toBlock(block: ContentBlock): AssistantBlock {
  if (block.text !== undefined) return { type: 'text', text: block.text };
  if (block.toolUse !== undefined && block.toolUse.type === undefined) {
    const { toolUseId = '', name = '', input } = block.toolUse;
    return { type: 'tool-use', id: toolUseId, name, input: readToolInput(input) };
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
  rawStopReason: string = '',
  { usage, serviceTier }: Metadata = {},
): ModelStreamEnd {
  if (MALFORMED.has(rawStopReason)) throw malformed(rawStopReason);
  return {
    type: 'answer-ended',
    content,
    stopReason: stopReasonOf(rawStopReason, content),
    rawStopReason,
    usage: { ...toUsage(usage), ...tierOf(serviceTier?.type) },
  };
}

/** The service counts cached tokens separately. */
function toUsage(usage: Partial<ConverseUsage> = {}): TokenUsage {
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
