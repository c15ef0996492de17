import type {
  ContentBlock,
  RawContentBlockDelta,
  RawMessageStreamEvent,
  Usage,
} from '@anthropic-ai/sdk/resources/messages';
import { PtcError } from '../../shared/errors.ts';
import type { JsonObject } from '../../shared/json/json.ts';
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
import { parseToolInput, readToolInput, toJsonObject } from '../shared/tool-input.ts';

const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['end_turn', 'end'],
  ['stop_sequence', 'end'],
  ['tool_use', 'tool-use'],
  ['max_tokens', 'max-tokens'],
  ['model_context_window_exceeded', 'context-window-exceeded'],
  ['pause_turn', 'pause'],
  ['refusal', 'refusal'],
]);

/** The counts of one event. */
type Counts = { readonly [Name in keyof Usage]?: Usage[Name] | null };

/** Those that are read. A service could send very many others with each event. */
const COUNTS = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'cache_creation',
  'service_tier',
] as const;

/** A content block that is not complete yet. */
interface OpenBlock {
  readonly start: ContentBlock;
  text: string;
  signature: string;
  json: string;
}

/**
 * Assembles the events of a Messages API stream into one answer. Services that imitate this API
 * leave fields out.
 */
export class AnthropicAnswer implements AnswerBuilder<unknown> {
  readonly #model: string;
  readonly #blocks = new Map<number, OpenBlock>();
  #usage: Counts = {};
  #stopReason = '';
  #stopDetails: JsonObject | undefined;
  #complete = false;

  constructor(model: string) {
    this.#model = model;
  }

  get complete(): boolean {
    return this.#complete;
  }

  get ended(): boolean {
    return this.#complete;
  }

  *take(given: unknown): Generator<ModelStreamPart> {
    const event = given as RawMessageStreamEvent;
    switch (event.type) {
      case 'message_start':
        this.#count(event.message?.usage);
        break;
      case 'content_block_start':
        yield* this.#open(event.index ?? 0, event.content_block);
        break;
      case 'content_block_delta':
        yield* this.#extend(event.index ?? 0, event.delta);
        break;
      case 'message_delta':
        // Some services send a second one, with counts only.
        this.#stopReason = event.delta?.stop_reason || this.#stopReason;
        this.#stopDetails = toJsonObject(event.delta?.stop_details) ?? this.#stopDetails;
        this.#count(event.usage);
        break;
      case 'message_stop':
        this.#complete = true;
        break;
      default:
    }
  }

  end(): ModelStreamEnd {
    return {
      type: 'answer-ended',
      content: [...this.#blocks.values()].map(closeBlock),
      stopReason: STOP_REASONS.get(this.#stopReason) ?? 'unknown',
      rawStopReason: this.#stopReason,
      ...(this.#stopDetails === undefined ? {} : { stopDetails: this.#stopDetails }),
      usage: toUsage(this.#usage),
    };
  }

  /** The counts are cumulative. A later event leaves out counts that have not changed. */
  #count(usage: Counts | null | undefined): void {
    const changed = COUNTS.map((name) => [name, usage?.[name]] as const).filter(
      ([, count]) => count !== null && count !== undefined,
    );
    this.#usage = { ...this.#usage, ...Object.fromEntries(changed) };
  }

  *#open(index: number, start: ContentBlock): Generator<ModelStreamPart> {
    const block: OpenBlock = { start, text: '', signature: '', json: '' };
    this.#blocks.set(index, block);
    if (this.#blocks.size > MAX_PARTS) throw tooManyParts(this.#model);
    if (start.type === 'text') {
      block.text = start.text ?? '';
      if (block.text !== '') yield { type: 'text-delta', text: block.text };
    } else if (start.type === 'thinking') {
      block.text = start.thinking ?? '';
      block.signature = start.signature ?? '';
      if (block.text !== '') yield { type: 'thinking-delta', text: block.text };
    } else if (start.type === 'tool_use') {
      yield { type: 'tool-use-started', id: start.id ?? '', name: start.name ?? '' };
    }
  }

  *#extend(index: number, delta: RawContentBlockDelta): Generator<ModelStreamPart> {
    const block = this.#blocks.get(index);
    if (block === undefined) throw unreadable(`a part of content block ${index} before its start`);
    switch (delta.type) {
      case 'text_delta': {
        const text = delta.text ?? '';
        block.text += text;
        yield { type: 'text-delta', text };
        break;
      }
      case 'thinking_delta': {
        const thinking = delta.thinking ?? '';
        block.text += thinking;
        yield { type: 'thinking-delta', text: thinking };
        break;
      }
      case 'signature_delta':
        block.signature = delta.signature ?? '';
        break;
      case 'input_json_delta': {
        const json = delta.partial_json ?? '';
        block.json += json;
        const { start } = block;
        if (start.type === 'tool_use') yield { type: 'tool-input-delta', id: start.id ?? '', json };
        break;
      }
      default:
        // Additions to a block of a known type, such as a citation, are not needed to send it back.
        if (closeBlock(block).type === 'opaque') {
          throw unreadable('a part of an unknown type', delta);
        }
    }
  }
}

function toUsage(usage: Counts): TokenUsage {
  const written = usage.cache_creation_input_tokens ?? undefined;
  const read = usage.cache_read_input_tokens ?? 0;
  const byTtl = usage.cache_creation ?? undefined;
  return {
    inputTokens: (usage.input_tokens ?? 0) + (written ?? 0) + read,
    outputTokens: usage.output_tokens ?? 0,
    cachedInputTokens: read,
    ...(written === undefined ? {} : { cacheWriteInputTokens: written }),
    ...(byTtl === undefined ? {} : { cacheWritesByTtl: toWrites(byTtl) }),
    ...tierOf(usage.service_tier),
  };
}

function toWrites(byTtl: NonNullable<Usage['cache_creation']>): Record<string, number> {
  return sumByName([
    ['5m', byTtl.ephemeral_5m_input_tokens ?? 0],
    ['1h', byTtl.ephemeral_1h_input_tokens ?? 0],
  ]);
}

function closeBlock({ start, text, signature, json }: OpenBlock): AssistantBlock {
  switch (start.type) {
    case 'text':
      return { type: 'text', text };
    case 'thinking':
      return { type: 'thinking', thinking: text, signature };
    case 'redacted_thinking':
      return { type: 'thinking', thinking: '', signature: '', redactedData: start.data ?? '' };
    case 'tool_use':
      return {
        type: 'tool-use',
        id: start.id ?? '',
        name: start.name ?? '',
        input: json === '' ? readToolInput(start.input) : parseToolInput(json),
      };
    default: {
      // Blocks of the service's own tools, and block types that it may add later.
      const value = toJsonObject(start) ?? {};
      return {
        type: 'opaque',
        value: json === '' ? value : { ...value, input: parseToolInput(json) ?? {} },
      };
    }
  }
}

function unreadable(what: string, part?: unknown): PtcError {
  return new PtcError(
    'MODEL_REQUEST_FAILED',
    `The model's answer has ${what}. Update sandboxed-ptc, or use the service without the feature that sends it.`,
    { details: { part } },
  );
}
