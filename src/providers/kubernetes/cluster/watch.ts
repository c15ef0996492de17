import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { isRecord } from '../../../shared/guards.ts';
import { ApiError } from './api-error.ts';
import type { Cluster } from './cluster.ts';

const PAUSE_MS = 250;
/** At these, a right is missing, unless the API server has just started: it then forbids what it allows later. */
const NOT_ALLOWED: ReadonlySet<string | undefined> = new Set(['Forbidden', 'Unauthorized']);

/** One object of which changes are wanted. */
export interface Watched {
  /** The path of all objects of its kind in its namespace, without a query. */
  readonly list: string;
  readonly name: string;
}

/**
 * Yields an object as it is, and then after each change; at the end, undefined if it is gone. If the
 * API server ends the connection or is not there for a while, the object is read again.
 * @throws ApiError if the API server has allowed no watch yet and refuses, or the signal's reason.
 */
export async function* changesOf(
  cluster: Cluster,
  { list, name }: Watched,
  signal: AbortSignal,
): AsyncGenerator<unknown, void> {
  let wasAllowed = false;
  for (;;) {
    try {
      const object = await cluster.send({ method: 'GET', path: `${list}/${name}`, signal });
      yield object;
      const query = new URLSearchParams({
        watch: '1',
        fieldSelector: `metadata.name=${name}`,
        resourceVersion: versionOf(object),
      });
      const response = await cluster.watch(`${list}?${query.toString()}`, signal);
      wasAllowed = true;
      try {
        for await (const line of createInterface({ input: response })) {
          const event: unknown = JSON.parse(line);
          if (!isRecord(event) || event['type'] === 'ERROR') break;
          if (event['type'] === 'DELETED') return;
          if (event['type'] !== 'BOOKMARK') yield event['object'];
        }
      } finally {
        response.destroy();
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ApiError && error.reason === 'NotFound') return;
      // Other refusals end after a moment, such as those of a server that is busy.
      if (!wasAllowed && error instanceof ApiError && NOT_ALLOWED.has(error.reason)) throw error;
    }
    await delay(PAUSE_MS, undefined, { signal });
  }
}

function versionOf(object: unknown): string {
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  const version = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof version === 'string' ? version : '';
}
