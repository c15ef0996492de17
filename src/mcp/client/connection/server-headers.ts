type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * A `fetch` that adds headers to requests for one origin. The client also sends requests to
 * authorization servers, which a server chooses, and which must not get its headers.
 * @param server - An address of the origin.
 */
export function withServerHeaders(
  fetchPlainly: Fetch,
  server: URL,
  added: Readonly<Record<string, string>>,
): Fetch {
  return async (url, init) => {
    if (new URL(url).origin !== server.origin) return fetchPlainly(url, init);
    const headers = new Headers(added);
    for (const [name, value] of new Headers(init?.headers)) headers.set(name, value);
    return fetchPlainly(url, { ...init, headers });
  };
}
