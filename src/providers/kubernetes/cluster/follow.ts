import type { IncomingMessage } from 'node:http';
import { AnySignal } from '../../../shared/async/any-signal.ts';
import { asError } from '../../../shared/errors.ts';
import { isRecord } from '../../../shared/guards.ts';
import type { Cluster } from './cluster.ts';
import { Pauses } from './pauses.ts';

const LONGEST_PAUSE_MS = 30_000;
/** The API server says once a minute that a connection lives. One that is silent for longer was cut. */
const QUIET_MS = 180_000;

/** Objects that are followed. */
export interface Followed {
  /** The path of all objects of their kind in a namespace, without a query. */
  readonly list: string;
  /** Selectors, by the names that the API has for them. */
  readonly select: Readonly<Record<string, string>>;
  /** Whether only their metadata is wanted. */
  readonly onlyMetadata?: boolean;
}

/** What is seen of them: all, at the beginning and after each loss of the API server, and changes. */
export type Sight =
  | { readonly type: 'all'; readonly objects: readonly unknown[] }
  | { readonly type: 'changed' | 'gone'; readonly object: unknown }
  | { readonly type: 'lost'; readonly error: Error };

/** An event of a watch. */
export interface WatchEvent {
  readonly type: unknown;
  readonly object: unknown;
}

/**
 * Yields objects as they are, and then each change, until the signal fires. It keeps no process
 * alive, and costs no requests as long as the API server keeps the connection.
 */
export async function* follow(
  cluster: Cluster,
  followed: Followed,
  signal: AbortSignal,
): AsyncGenerator<Sight, void> {
  const pauses = new Pauses(LONGEST_PAUSE_MS);
  while (!signal.aborted) {
    let error: Error;
    try {
      const { objects, version } = await listAll(cluster, followed, signal);
      yield { type: 'all', objects };
      yield* changes(cluster, followed, version, signal);
      error = new Error('the API server ended the connection');
    } catch (cause) {
      error = asError(cause);
    }
    if (signal.aborted) return;
    yield { type: 'lost', error };
    await pauses.wait(signal);
  }
}

async function listAll(
  cluster: Cluster,
  { list, select, onlyMetadata = false }: Followed,
  signal: AbortSignal,
): Promise<{ readonly objects: readonly unknown[]; readonly version: string }> {
  const path = `${list}?${new URLSearchParams(select).toString()}`;
  const as = onlyMetadata ? 'PartialObjectMetadataList' : undefined;
  const answer = await cluster.send({ method: 'GET', path, as, signal });
  const { items, metadata } = isRecord(answer) ? answer : {};
  const version = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
  return { objects: Array.isArray(items) ? items : [], version: String(version) };
}

/** Ends with the connection. */
async function* changes(
  cluster: Cluster,
  followed: Followed,
  version: string,
  signal: AbortSignal,
): AsyncGenerator<Sight, void> {
  for await (const { type, object } of eventsOf(cluster, followed, version, signal)) {
    yield { type: type === 'DELETED' ? 'gone' : 'changed', object };
  }
}

/**
 * Yields what happens to objects after a version of their list, until the API server ends the
 * connection or no longer knows that version. It keeps no process alive. A connection that was cut
 * in silence looks like one on which nothing happens, so the API server is asked to say now and then
 * that it lives, from the attempt to connect on.
 * @throws what `Cluster.watch` throws, or an error if the connection was cut.
 */
export async function* eventsOf(
  cluster: Cluster,
  { list, select, onlyMetadata = false }: Followed,
  resourceVersion: string,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent, void> {
  const query = new URLSearchParams({
    ...select,
    watch: '1',
    allowWatchBookmarks: 'true',
    resourceVersion,
  });
  const as = onlyMetadata ? 'PartialObjectMetadata' : undefined;
  using within = new AnySignal(signal);
  const giveUp = (): void => within.abort(new Error('the API server was silent for too long'));
  const silence = setTimeout(giveUp, QUIET_MS).unref();
  let response: IncomingMessage | undefined;
  try {
    response = await cluster.watch(`${list}?${query.toString()}`, within.signal, as);
    response.socket.unref();
    response.setEncoding('utf8');
    // Not by readline, whose lines never end if what it reads is destroyed.
    for await (const line of linesOf(response as AsyncIterable<string>)) {
      silence.refresh();
      const event: unknown = JSON.parse(line);
      if (!isRecord(event) || event['type'] === 'ERROR') return;
      if (event['type'] === 'BOOKMARK') continue;
      yield { type: event['type'], object: event['object'] };
    }
  } finally {
    clearTimeout(silence);
    response?.destroy();
  }
}

async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string, void> {
  let rest = '';
  for await (const text of texts) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
