import { setTimeout as delay } from 'node:timers/promises';
import type {
  Client,
  McpSubscription,
  StreamableHTTPReconnectionOptions,
} from '@modelcontextprotocol/client';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** What becomes of the stream on which a server that is reached by HTTP announces changes. */
export interface StreamEvents {
  /** It is open again. Meanwhile, the server may have changed its tools, or started again. */
  readonly onToolsChanged: () => void;
  /** It cannot be opened again, so no change would be heard any more. */
  readonly onLost: () => void;
}

const FIRST_PAUSE_MS = 1000;
const GROWTH = 1.5;
const TRIES = 2;

/** How the transport of the client opens streams again that have broken off. These are its defaults. */
export const RECONNECTION: StreamableHTTPReconnectionOptions = {
  initialReconnectionDelay: FIRST_PAUSE_MS,
  reconnectionDelayGrowFactor: GROWTH,
  maxReconnectionDelay: 30_000,
  maxRetries: TRIES,
};

/** A `fetch` for a transport of the client that tells of the stream of a server of 2024 or 2025. */
export function watchStream(
  fetchFn: Fetch,
  serverUrl: URL,
  { onToolsChanged, onLost }: StreamEvents,
): Fetch {
  let hasOpened = false;
  let failures = 0;
  const note = (status?: number): void => {
    if (!hasOpened) return;
    // After 405, which says that there is no such stream, the client does not try again.
    failures += status === 405 ? TRIES : 1;
    if (failures >= TRIES) onLost();
  };
  return async (url, init) => {
    if (!opensStream(url, init, serverUrl)) return fetchFn(url, init);
    let response: Response;
    try {
      response = await fetchFn(url, init);
    } catch (error) {
      note();
      throw error;
    }
    if (!response.ok) {
      note(response.status);
      return response;
    }
    if (hasOpened) onToolsChanged();
    hasOpened = true;
    failures = 0;
    return response;
  };
}

/** With an event id, the client asks for the rest of an answer. */
function opensStream(url: string | URL, init: RequestInit | undefined, serverUrl: URL): boolean {
  return (
    init?.method === 'GET' &&
    new URL(url).href === serverUrl.href &&
    !new Headers(init.headers).has('last-event-id')
  );
}

/** Opens the stream of a server of 2026 again each time it ends, as long as the client is connected. */
export async function keepListening(
  client: Client,
  { onToolsChanged, onLost }: StreamEvents,
): Promise<void> {
  let subscription = client.autoOpenedSubscription;
  while (subscription !== undefined) {
    await subscription.closed;
    subscription = await listenAgain(client);
    if (subscription === undefined) onLost();
    else onToolsChanged();
  }
}

async function listenAgain(client: Client): Promise<McpSubscription | undefined> {
  for (let tries = 0; tries < TRIES; tries++) {
    await delay(FIRST_PAUSE_MS * GROWTH ** tries, undefined, { ref: false });
    if (client.transport === undefined) return undefined;
    try {
      return await client.listen({ toolsListChanged: true });
    } catch {
      // The next try may succeed.
    }
  }
  return undefined;
}
