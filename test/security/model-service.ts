import type { LanguageModel } from '../../src/models/language-model.ts';

/** A part of an answer; `json` is what a call's arguments come as, whole or not. */
export type Part =
  | { readonly text: string }
  /** Services that do not send it leave it out, and so what their own tools do. */
  | { readonly thinking: string }
  | { readonly serverTool: string; readonly hasResult: boolean }
  | { readonly id: string; readonly name: string; readonly json: string };

/** Services that do not pause end their answer. */
export type Stop = 'end' | 'tool' | 'length' | 'refusal' | 'pause';

export interface Answer {
  readonly parts: readonly Part[];
  readonly stop: Stop;
  /** How many bytes of it go out before the connection ends. @default all, and the connection stays */
  readonly bytes?: number;
  /** Whether the connection then breaks or is closed in order. */
  readonly ending?: 'cut' | 'end' | 'hang';
}

export interface Refusal {
  readonly status: number;
  /** In seconds. */
  readonly retryAfter: string;
}

/** A message of a request, in terms that the three services share. */
export interface Sent {
  readonly role: unknown;
  readonly texts: readonly string[];
  readonly calls: readonly string[];
  /** The ids of uses of the service's own tools, and of those that have their result. */
  readonly serverTools?: readonly string[];
  readonly serverResults?: readonly string[];
  readonly results: readonly { readonly id: string; readonly text: string }[];
}

export interface RunningService extends AsyncDisposable {
  readonly model: LanguageModel;
  /** Where the service is, as its client wants it. */
  readonly baseUrl: string;
  readonly requests: readonly { readonly body: unknown }[];
}

/** A model's service: its real client, and a server on this machine that speaks its wire format. */
export interface Service {
  readonly name: string;
  /** What it refuses with when it has too much to do; its client knows no other as passing. */
  readonly overloads: readonly number[];
  /** Answers in the order of the list, which may grow; its client sends a request three times. */
  start(replies: readonly (Answer | Refusal)[]): Promise<RunningService>;
  /** Of an answer's bytes, those before the event that makes it whole. */
  bytesBeforeEnd(answer: Answer): number;
  /** The messages of a request, without its system text. */
  sent(body: unknown): Sent[];
  system(body: unknown): unknown;
}

/** The list as a server wants it: translated as it is read, so that it may grow. */
export function translated<From, To>(from: readonly From[], translate: (one: From) => To): To[] {
  return new Proxy<To[]>([], {
    get: (_target, index) => {
      const one = from[Number(index)];
      return one === undefined ? undefined : translate(one);
    },
  });
}

/** Short pieces, so that the client has to put them together. */
export function pieces(text: string): string[] {
  return text.match(/[^]{1,16}/gu) ?? [];
}

export type CommonPart = Extract<Part, { readonly text: string } | { readonly json: string }>;

/** A block that is sent as it is, without pieces. */
type WholeBlock = { readonly type: string; readonly [field: string]: unknown };

/** What Anthropic's service alone sends, as whole blocks; the rest as it is. */
export function wholeBlocks(part: Part): (CommonPart | WholeBlock)[] {
  if ('thinking' in part) return [{ type: 'thinking', ...part, signature: 's' }];
  if (!('serverTool' in part)) return [part];
  const { serverTool: id, hasResult } = part;
  const use = { type: 'server_tool_use', id, name: 'web_search', input: { query: 'q' } };
  const result = { type: 'web_search_tool_result', tool_use_id: id, content: [] };
  return hasResult ? [use, result] : [use];
}

/** What the other services send too. */
export function isCommon(part: Part): part is CommonPart {
  return 'text' in part || 'json' in part;
}

export const nothing: Sent = { role: undefined, texts: [], calls: [], results: [] };

export function joined(role: unknown, parts: readonly Sent[]): Sent {
  return {
    role,
    texts: parts.flatMap(({ texts }) => texts),
    calls: parts.flatMap(({ calls }) => calls),
    serverTools: parts.flatMap(({ serverTools = [] }) => serverTools),
    serverResults: parts.flatMap(({ serverResults = [] }) => serverResults),
    results: parts.flatMap(({ results }) => results),
  };
}

/** The texts of a message's content, which may be one text. */
export function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  const blocks = Array.isArray(content) ? (content as readonly Fields[]) : [];
  return blocks.flatMap(({ type, text }) => (type === 'text' ? [String(text)] : []));
}

export type Fields = Readonly<Record<string, unknown>>;

export function listOf(body: unknown, field: string): readonly Fields[] {
  return ((body as Fields)[field] ?? []) as readonly Fields[];
}

/** The content of a message, without the marks of what the service may cache. */
export function contentOf(message: Fields): readonly Fields[] {
  return listOf(message, 'content').filter((block) => !('cachePoint' in block));
}

export function lengthOf(texts: readonly string[]): number {
  return Buffer.byteLength(texts.join(''));
}
