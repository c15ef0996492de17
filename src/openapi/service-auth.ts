import { PtcError } from '../shared/errors.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { OpenApiDocument, Part } from './document/document.ts';
import { requirementsOf, securitySchemesOf, type SecurityScheme } from './document/security.ts';
import { checkAuth } from './options.ts';
import { credentialsFor, type Credentials, type OpenApiAuth } from './request/credentials.ts';

const NO_CREDENTIALS: Credentials = { headers: [], query: [], cookies: [], secrets: [] };

/** The credentials for a service, with what its document says about where they go. */
export class ServiceAuth {
  readonly #document: OpenApiDocument;
  readonly #auth: OpenApiAuth | undefined;
  readonly #schemes: ReadonlyMap<string, SecurityScheme | undefined>;
  /** The headers, query parameters and cookies that carry credentials. */
  readonly #keys: ReadonlySet<string>;
  /** The names of the credentials that operations get, by their `security`, which many may share. */
  readonly #names: Map<unknown, readonly string[]> = new Map();

  /** @throws PtcError `OPTION_INVALID` if the document does not have the security schemes of `auth`. */
  constructor(document: OpenApiDocument, auth: OpenApiAuth | undefined) {
    this.#document = document;
    this.#auth = auth;
    this.#schemes = securitySchemesOf(document);
    checkAuth(auth, this.#schemes);
    const schemes = [...this.#schemes.values()];
    this.#keys = new Set(schemes.flatMap((one) => (one ? [keyOf(one.place, one.key)] : [])));
  }

  /** Whether a part of a request carries the credentials of a security scheme, of any operation. */
  isCredential(place: string, name: string): boolean {
    return this.#keys.has(keyOf(place, name));
  }

  /**
   * Checks that an operation gets one of the credentials: otherwise, all requests would be sent
   * without them.
   * @throws PtcError `OPTION_INVALID`
   */
  checkUse(operations: readonly { readonly part: Part }[]): void {
    const auth = this.#auth;
    if (auth === undefined || typeof auth === 'function' || operations.length === 0) return;
    const names = Object.keys(auth);
    if (names.length === 0 || operations.some(({ part }) => this.namesFor(part).length > 0)) return;
    throw new PtcError(
      'OPTION_INVALID',
      `auth is not used: it has ${names.join(', ').slice(0, 300)}, and no operation has a list in its security for which auth has all credentials. Add those that are missing. If the document does not say which operations need credentials, pass a function that returns headers.`,
      { details: { option: 'auth' } },
    );
  }

  /**
   * The names of the credentials that an operation gets: the first list in its `security` for which
   * there are all. Empty if there is none.
   */
  namesFor(part: Part): readonly string[] {
    const auth = this.#auth;
    if (auth === undefined || typeof auth === 'function') return [];
    const security = part['security'] ?? this.#document.root['security'];
    const known = this.#names.get(security);
    if (known !== undefined) return known;
    // An empty list says that the service also answers without credentials.
    const names =
      requirementsOf(security).find(
        (list) => list.length > 0 && list.every((name) => Object.hasOwn(auth, name)),
      ) ?? [];
    this.#names.set(security, names);
    return names;
  }

  /**
   * Gets the credentials for a call.
   * @param names - Of `namesFor` its operation.
   * @throws ToolCallFailure if they cannot be had. The message has no part of them.
   */
  async credentials(names: readonly string[], context: ToolContext): Promise<Credentials> {
    if (this.#auth === undefined) return NO_CREDENTIALS;
    return credentialsFor(this.#auth, this.#schemes, names, context);
  }
}

function keyOf(place: string, name: string): string {
  return `${place} ${place === 'header' ? name.toLowerCase() : name}`;
}
