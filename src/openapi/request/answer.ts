import { STATUS_CODES } from 'node:http';
import { escapeControls } from '../../shared/control-characters.ts';
import { toJsonText } from '../../shared/json/json.ts';
import { messageOf } from '../../shared/errors.ts';
import { ToolCallFailure } from '../../tools/tool-call-failure.ts';
import { baseType, encodingOf } from '../document/media-types.ts';
import { unavailable } from './send.ts';

/** Programs get results as one frame. In characters of JSON, and in bytes of a body. */
const MAXIMUM_RESULT = 8 * 2 ** 20;
const MAXIMUM_ERROR_BYTES = 16_384;
const MAXIMUM_ERROR = 2000;

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
  const { bytes, isWhole } = await readBytes(response, limit).catch((error: unknown) => {
    signal.throwIfAborted();
    throw unavailable(url, error);
  });
  if (!ok) throw statusFailure(status, hide(decode(bytes, type), secrets));
  if (!isWhole) throw invalid(`the answer has more than ${limit} bytes; ask for less`);
  if (bytes.length === 0) return null;
  const value = valueOf(bytes, type, secrets);
  const { length } = textOfResult(value);
  if (length <= MAXIMUM_RESULT) return value;
  throw invalid(
    `the result has ${length} characters, and at most ${MAXIMUM_RESULT} are allowed; ask for less`,
  );
}

function valueOf(bytes: Buffer, type: string, secrets: readonly string[]): unknown {
  const encoding = type === '' ? 'json' : encodingOf(type);
  if (encoding !== 'json' && encoding !== 'text' && encoding !== 'form') {
    const mimeType = escapeControls(baseType(type));
    const [kind = ''] = mimeType.split('/', 1);
    const known = kind === 'image' || kind === 'audio' ? kind : 'resource';
    return { type: known, mimeType, data: bytes.toString('base64') };
  }
  const text = hide(decode(bytes, type), secrets);
  if (encoding !== 'json') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // Without a type, it may be text.
    if (type === '') return text;
    throw invalid('the answer is not JSON, although its content-type says so', error);
  }
}

function textOfResult(value: unknown): string {
  try {
    return toJsonText(value);
  } catch (error) {
    throw invalid(messageOf(error), error);
  }
}

/** Reads a body up to a limit. What is beyond is not read. */
async function readBytes(
  { body }: Response,
  limit: number,
): Promise<{ readonly bytes: Buffer; readonly isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (body !== null) {
    // Leaving the loop cancels the body, which ends its connection.
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > limit)
        return { bytes: Buffer.concat(chunks).subarray(0, limit), isWhole: false };
    }
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

/** A secret that is shorter could be anywhere by chance. */
const SHORTEST_SECRET = 6;

function hide(text: string, secrets: readonly string[]): string {
  let hidden = text;
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET) continue;
    for (const form of new Set([
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
    ])) {
      hidden = hidden.replaceAll(form, '(removed)');
    }
  }
  return hidden;
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
