import { STATUS_CODES } from 'node:http';
import { withExactNumbers } from '../../protocol/exact-numbers.ts';
import { escapeControls } from '../../shared/control-characters.ts';
import { toJsonText } from '../../shared/json/json.ts';
import { messageOf } from '../../shared/errors.ts';
import { ToolCallFailure } from '../../tools/tool-call-failure.ts';
import { baseType, encodingOf } from '../document/media-types.ts';
import { SecretFilter } from './hide-secrets.ts';
import { unavailable } from './send.ts';

/** Programs get results as one frame. In characters of JSON, and in bytes of a body. */
const MAXIMUM_RESULT = 8 * 2 ** 20;
const MAXIMUM_ERROR_BYTES = 16_384;
const MAXIMUM_ERROR = 2000;

/** The status of an error is worth more than a body that does not end. */
const MAXIMUM_ERROR_MS = 2000;

/**
 * What a program gets for an answer: its JSON, its text, null without a body, or for other media
 * types an object with the body in base64.
 * @param url - The address that was asked.
 * @param secrets - What must not reach the program, should the service send it back.
 * @throws ToolCallFailure for an answer without success, one that is too large, and one that breaks off.
 */
export async function readAnswer(
  response: Response,
  {
    url,
    secrets,
    signal,
  }: { readonly url: URL; readonly secrets: readonly string[]; readonly signal: AbortSignal },
): Promise<unknown> {
  const { ok, status } = response;
  const type = response.headers.get('content-type') ?? '';
  const limit = ok ? MAXIMUM_RESULT : MAXIMUM_ERROR_BYTES;
  const reader = response.body?.getReader();
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
    reader?.cancel().catch(() => {});
  };
  const timer = ok ? undefined : setTimeout(stop, MAXIMUM_ERROR_MS);
  const { bytes, isWhole, failure } = await readBytes(reader, limit);
  clearTimeout(timer);
  if (failure !== undefined) signal.throwIfAborted();
  const filter = new SecretFilter(secrets);
  // The status says more than a body that broke off.
  if (!ok) {
    const text = decode(bytes, type);
    throw statusFailure(status, errorText(text, filter, { isCut: isStopped || !isWhole }));
  }
  if (failure !== undefined) throw unavailable(url, 'broke off its answer', failure.cause);
  if (!isWhole) throw invalid(`the answer has more than ${limit} bytes; ask for less`);
  // An answer to HEAD, or with a status such as 204, has no body, whatever its headers say.
  if (bytes.length === 0) return response.body !== null && encodingOf(type) === 'text' ? '' : null;
  const value = valueOf(bytes, type, filter);
  const { length } = textOfResult(value);
  if (length <= MAXIMUM_RESULT) return value;
  throw invalid(
    `the result has ${length} characters, and at most ${MAXIMUM_RESULT} are allowed; ask for less`,
  );
}

function valueOf(bytes: Buffer, type: string, filter: SecretFilter): unknown {
  const encoding = type === '' ? 'json' : encodingOf(type);
  if (encoding !== 'json' && encoding !== 'text' && encoding !== 'form') {
    const mimeType = filter.text(escapeControls(baseType(type)));
    const [kind = ''] = mimeType.split('/', 1);
    const known = kind === 'image' || kind === 'audio' ? kind : 'resource';
    return { type: known, mimeType, data: bytes.toString('base64') };
  }
  const text = decode(bytes, type);
  if (encoding !== 'json') return filter.text(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // Without a type, it may be text.
    if (type === '') return filter.text(text);
    throw invalid('the answer is not JSON, although its content-type says so', error);
  }
  const exact = withExactNumbers(text);
  return filter.value(exact === text ? value : JSON.parse(exact));
}

/** The text of an error. JSON stays as the service wrote it, unless it has a secret. */
function errorText(
  text: string,
  filter: SecretFilter,
  { isCut }: { readonly isCut: boolean },
): string {
  try {
    const value: unknown = JSON.parse(text);
    const hidden = JSON.stringify(filter.value(value));
    if (hidden !== JSON.stringify(value)) return hidden;
  } catch {
    // It is not JSON, or only the beginning of it.
    if (isCut) return filter.cutText(text);
  }
  return filter.text(text);
}

function textOfResult(value: unknown): string {
  try {
    return toJsonText(value);
  } catch (error) {
    throw invalid(messageOf(error), error);
  }
}

interface ReadBody {
  readonly bytes: Buffer;
  readonly isWhole: boolean;
  /** Why it broke off; undefined if it did not. */
  readonly failure?: { readonly cause: unknown };
}

/** Reads a body up to a limit. What is beyond is not read. Never throws. */
async function readBytes(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  limit: number,
): Promise<ReadBody> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
      chunks.push(part.value);
      length += part.value.length;
      if (length <= limit) continue;
      // Otherwise its connection would stay open.
      await reader?.cancel();
      return { bytes: Buffer.concat(chunks).subarray(0, limit), isWhole: false };
    }
  } catch (cause) {
    return { bytes: Buffer.concat(chunks), isWhole: false, failure: { cause } };
  }
  return { bytes: Buffer.concat(chunks), isWhole: true };
}

function decode(bytes: Buffer, type: string): string {
  const [, label = 'utf-8'] = /;\s*charset="?([\w-]{1,40})/i.exec(type.slice(0, 500)) ?? [];
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function statusFailure(status: number, text: string): ToolCallFailure {
  const name = STATUS_CODES[status] === undefined ? '' : ` ${STATUS_CODES[status]}`;
  const cut = text.length > MAXIMUM_ERROR ? `${text.slice(0, MAXIMUM_ERROR)}…` : text;
  const body = escapeControls(cut.toWellFormed()).trim();
  return new ToolCallFailure(
    'Failed',
    `the service answered ${status}${name}${body === '' ? '' : `: ${body}`}`,
  );
}

function invalid(message: string, cause?: unknown): ToolCallFailure {
  return new ToolCallFailure('InvalidResult', message, { cause });
}
