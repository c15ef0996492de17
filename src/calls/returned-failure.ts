import { types } from 'node:util';
import { messageOf } from '../shared/errors.ts';
import { isRecord } from '../shared/guards.ts';
import { ToolCallFailure } from '../tools/tool-call-failure.ts';

/** The failure of a call whose tool did not throw. */
export interface ReturnedFailure {
  readonly type: string;
  readonly message: string;
}

/**
 * The failure that a tool returned instead of throwing it; undefined for any other value. It would
 * look like a success to the program. A failure is:
 * - an `Error`;
 * - a `Response`, as `fetch` returns it, that is not `ok`;
 * - a result of the Model Context Protocol with `isError: true`: its `content` is a list of objects
 *   that each have a `type`. An object with an `isError` of its own and no such list is a result.
 *
 * Only the value as a whole counts. May throw if the value cannot be read.
 */
export function returnedFailure(value: unknown): ReturnedFailure | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof Error || types.isNativeError(value)) {
    const type = value instanceof ToolCallFailure ? value.type : 'Failed';
    return { type, message: messageOf(value) };
  }
  if (isRefusedResponse(value)) return { type: 'Failed', message: statusOf(value) };
  const content = isRecord(value) && value['isError'] === true ? value['content'] : undefined;
  if (!Array.isArray(content) || !content.every(isBlock)) return undefined;
  const texts = content.map(({ text }) => text).filter((text) => typeof text === 'string');
  return { type: 'Failed', message: texts.join('\n') };
}

/** What a `Response` says of its status. */
interface ResponseStatus {
  readonly ok: boolean;
  readonly status: number;
  readonly statusText?: unknown;
}

/** Known by its name, because the package undici has a class of its own. */
function isRefusedResponse(value: object): value is ResponseStatus {
  if (Object.prototype.toString.call(value) !== '[object Response]') return false;
  const { ok, status } = value as { readonly ok?: unknown; readonly status?: unknown };
  return ok === false && typeof status === 'number';
}

function statusOf({ status, statusText }: ResponseStatus): string {
  const text = typeof statusText === 'string' && statusText !== '' ? ` ${statusText}` : '';
  return `the response has the status ${status}${text}`;
}

/** Whether a part of the `content` of a result can be one of the Model Context Protocol. */
function isBlock(part: unknown): part is Readonly<Record<string, unknown>> {
  return isRecord(part) && typeof part['type'] === 'string';
}
