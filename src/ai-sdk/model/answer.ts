import { Buffer } from 'node:buffer';
import {
  MAX_ANSWER_BYTES,
  MAX_EVENT_BYTES,
  MAX_PARTS,
  tooLarge,
  tooManyParts,
} from '../../models/shared/answer-limits.ts';
import type {
  AssistantBlock,
  ModelStreamEnd,
  ModelStreamPart,
  StopReason,
  TokenUsage,
} from '../../models/language-model.ts';
import type { AnswerBuilder } from '../../models/shared/stream-answer.ts';
import { parseToolInput } from '../../models/shared/tool-input.ts';
import { isRecord } from '../../shared/guards.ts';
import { PtcError } from '../../shared/errors.ts';
import { toJsonText, type JsonObject, type JsonValue } from '../../shared/json/json.ts';

const STOP_REASONS: ReadonlyMap<unknown, StopReason> = new Map([
  ['stop', 'end'],
  ['tool-calls', 'tool-use'],
  ['length', 'max-tokens'],
  ['content-filter', 'refusal'],
]);

/** Services say with these that the model is to go on with its answer, or that nothing fits any more. */
const RAW_STOP_REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['pause_turn', 'pause'],
  ['model_context_window_exceeded', 'context-window-exceeded'],
]);

/** By the name of the provider, and of the field. */
type Metadata = Map<string, JsonValue | Map<string, JsonValue>>;

/** A part of the content that is not complete yet. */
interface OpenBlock {
  readonly kind: 'text' | 'reasoning' | 'tool' | 'custom';
  readonly id: string;
  /** Of the tool, or the kind of a part that only the provider understands. */
  readonly name: string;
  text: string;
  /** What the provider needs to get back with the part, such as a signature. */
  readonly metadata: Metadata;
}

interface Finish {
  readonly reason: unknown;
  readonly raw: string;
  readonly usage: TokenUsage;
}

/** An error that the provider put into the stream. */
export class StreamedError extends Error {
  constructor(cause: unknown) {
    super('The stream has an error.', { cause });
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** Assembles the parts of a stream of the AI SDK into one answer. */
export class AiSdkAnswer implements AnswerBuilder<unknown> {
  readonly #model: string;
  readonly #blocks: Map<string, OpenBlock> = new Map();
  #bytes = 0;
  #finish: Finish | undefined;

  constructor(model: string) {
    this.#model = model;
  }

  get complete(): boolean {
    return this.#finish !== undefined;
  }

  *take(part: unknown): Generator<ModelStreamPart> {
    if (!isRecord(part)) throw unreadable(part);
    if (part['type'] === 'error') throw new StreamedError(part['error']);
    this.#count(part);
    switch (part['type']) {
      case 'text-start':
      case 'text-end':
        this.#open('text', part);
        break;
      case 'text-delta':
        yield* this.#extend('text', part, (text) => ({ type: 'text-delta', text }));
        break;
      case 'reasoning-start':
      case 'reasoning-end':
        this.#open('reasoning', part);
        break;
      case 'reasoning-delta':
        yield* this.#extend('reasoning', part, (text) => ({ type: 'thinking-delta', text }));
        break;
      case 'tool-input-start':
        yield* this.#openCall(part, textOf(part['id']));
        break;
      case 'tool-input-delta': {
        const id = textOf(part['id']);
        yield* this.#extend('tool', part, (json) => ({ type: 'tool-input-delta', id, json }));
        break;
      }
      case 'tool-call':
        yield* this.#closeCall(part);
        break;
      case 'custom':
        this.#open('custom', part, String(this.#blocks.size));
        break;
      case 'finish':
        // Providers also end an answer of which the connection broke, and then know no reason.
        if (hasReason(part['finishReason'])) this.#finish = finishOf(part);
        break;
      case 'tool-input-end':
      case 'stream-start':
      case 'response-metadata':
      case 'raw':
      // A source repeats what the text says.
      case 'source':
        break;
      default:
        throw unreadable(part);
    }
  }

  end(): ModelStreamEnd {
    const content = [...this.#blocks.values()].flatMap(closeBlock);
    const { reason, raw, usage } = this.#finish ?? NOTHING;
    return {
      type: 'answer-ended',
      content,
      stopReason: stopReasonOf(reason, raw, content),
      rawStopReason: raw,
      usage,
    };
  }

  /** @throws PtcError if the answer is too large: the provider, not this package, reads it. */
  #count(part: Fields): void {
    const bytes = Buffer.byteLength(JSON.stringify(part));
    if (bytes > MAX_EVENT_BYTES) throw tooLarge(this.#model, 'a part of it has', MAX_EVENT_BYTES);
    this.#bytes += bytes;
    if (this.#bytes > MAX_ANSWER_BYTES) throw tooLarge(this.#model, 'it has', MAX_ANSWER_BYTES);
  }

  #open(kind: OpenBlock['kind'], part: Fields, id: string = textOf(part['id'])): OpenBlock {
    const key = `${kind} ${id}`;
    let block = this.#blocks.get(key);
    if (block === undefined) {
      if (this.#blocks.size === MAX_PARTS) throw tooManyParts(this.#model);
      const name = textOf(part['toolName'] ?? part['kind']);
      block = { kind, id, name, text: '', metadata: new Map() };
      this.#blocks.set(key, block);
    }
    const { providerMetadata } = part;
    if (isRecord(providerMetadata)) {
      const added = JSON.parse(toJsonText(providerMetadata)) as JsonObject;
      addTo(block.metadata, added);
    }
    return block;
  }

  *#extend(
    kind: OpenBlock['kind'],
    part: Fields,
    toPart: (delta: string) => ModelStreamPart,
  ): Generator<ModelStreamPart> {
    const block = this.#open(kind, part);
    const delta = textOf(part['delta']);
    block.text += delta;
    if (delta !== '') yield toPart(delta);
  }

  *#openCall(part: Fields, id: string): Generator<ModelStreamPart> {
    // What the provider itself runs is never for this package to answer.
    if (part['providerExecuted'] === true) throw unreadable(part);
    const { size } = this.#blocks;
    const { name } = this.#open('tool', part, id);
    if (this.#blocks.size > size) yield { type: 'tool-use-started', id, name };
  }

  /** The whole call. Some providers send nothing of it before. */
  *#closeCall(part: Fields): Generator<ModelStreamPart> {
    const id = textOf(part['toolCallId']);
    yield* this.#openCall(part, id);
    const block = this.#open('tool', part, id);
    const json = textOf(part['input']);
    if (block.text === '' && json !== '') yield { type: 'tool-input-delta', id, json };
    block.text = json;
  }
}

const NOTHING: Finish = {
  reason: '',
  raw: '',
  usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 },
};

/** In place, because each of very many parts can bring some. */
function addTo(metadata: Metadata, added: JsonObject): void {
  for (const [provider, fields] of Object.entries(added)) {
    const before = metadata.get(provider);
    if (!isRecord(fields)) metadata.set(provider, fields);
    else if (!(before instanceof Map)) metadata.set(provider, new Map(Object.entries(fields)));
    else for (const [name, field] of Object.entries(fields)) before.set(name, field);
  }
}

function toObject(metadata: Metadata): JsonObject {
  const all = [...metadata].map(([provider, fields]): [string, JsonValue] => [
    provider,
    fields instanceof Map ? Object.fromEntries(fields) : fields,
  ]);
  return Object.fromEntries(all);
}

function closeBlock({ kind, id, name, text, metadata: given }: OpenBlock): AssistantBlock[] {
  const metadata = toObject(given);
  if (kind === 'custom') {
    return [{ type: 'opaque', value: { kind: name, providerMetadata: metadata } }];
  }
  const added: AssistantBlock[] =
    Object.keys(metadata).length === 0
      ? []
      : [{ type: 'opaque', value: { providerMetadata: metadata } }];
  if (kind === 'tool')
    return [...added, { type: 'tool-use', id, name, input: parseToolInput(text) }];
  if (kind === 'text') return [...added, { type: 'text', text }];
  return [...added, { type: 'thinking', thinking: text, signature: '' }];
}

function hasReason(finishReason: unknown): boolean {
  const { unified, raw } = isRecord(finishReason) ? finishReason : {};
  return typeof raw === 'string' || STOP_REASONS.has(unified);
}

function finishOf({ finishReason, usage }: Fields): Finish {
  const { unified, raw } = isRecord(finishReason) ? finishReason : { unified: '', raw: '' };
  return { reason: unified, raw: textOf(raw ?? unified), usage: toUsage(usage) };
}

/** Some services return `stop` with a tool call in the answer, or `tool-calls` without one. */
function stopReasonOf(
  unified: unknown,
  raw: string,
  content: readonly AssistantBlock[],
): StopReason {
  const reason = RAW_STOP_REASONS.get(raw) ?? STOP_REASONS.get(unified) ?? 'unknown';
  if (reason !== 'end' && reason !== 'tool-use') return reason;
  return content.some((block) => block.type === 'tool-use') ? 'tool-use' : 'end';
}

function toUsage(usage: unknown): TokenUsage {
  const { inputTokens, outputTokens } = isRecord(usage) ? usage : {};
  const input = isRecord(inputTokens) ? inputTokens : {};
  const output = isRecord(outputTokens) ? outputTokens : {};
  const { total, cacheRead, cacheWrite } = input;
  return {
    inputTokens: countOf(total),
    outputTokens: countOf(output['total']),
    cachedInputTokens: countOf(cacheRead),
    ...(typeof cacheWrite === 'number' && { cacheWriteInputTokens: cacheWrite }),
  };
}

function countOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function unreadable(part: unknown): PtcError {
  const type = isRecord(part) ? textOf(part['type']) : typeof part;
  return new PtcError(
    'MODEL_REQUEST_FAILED',
    `The model's answer has a part that is not text, thinking or a call of a tool (${type}), and cannot be used. Use a model or settings without it.`,
    { details: { part: { type } } },
  );
}
