import { PtcError } from '../shared/errors.ts';
import { isRecord } from '../shared/guards.ts';
import { nearestName } from '../shared/nearest-name.ts';
import { isOfKind } from '../shared/options/option-kinds.ts';
import { checkOptionNames, type OptionsObject } from '../shared/options/option-names.ts';
import { invalidOption } from '../shared/options/option-values.ts';
import { checkSourceName } from '../tools/registry/source-tools.ts';
import type { OpenApiOperation } from './document/operations.ts';
import { isHeaderText, type SecurityScheme } from './document/security.ts';
import type { OpenApiAuth } from './request/credentials.ts';

export interface OpenApiToolsOptions {
  /**
   * The name space of the tools, as for a `ToolSource`: programs call the operation `listPets` of
   * the source `shop` as `shop.listPets(…)`.
   */
  readonly name: string;
  /**
   * An OpenAPI document of version 3.0 or 3.1, or of Swagger 2.0, as an object. It is read once, and
   * must not change afterwards.
   */
  readonly document: object;
  /**
   * The address to which the paths of the document are added. All requests stay with its origin.
   * Give it if somebody else wrote the document: the credentials go there.
   * @default the first absolute server of the document
   */
  readonly baseUrl?: string | URL;
  /** The credentials of requests. Only the service gets it. @default nothing */
  readonly auth?: OpenApiAuth;
  /**
   * The operations that become tools: their `operationId`s or the names of their tools, or a
   * function that decides. A list with one that cannot be a tool is refused.
   * @default all
   */
  readonly operations?: readonly string[] | ((operation: OpenApiOperation) => boolean);
}

export const OPENAPI_TOOLS: OptionsObject<OpenApiToolsOptions> = {
  of: 'openApiTools',
  names: { name: true, document: true, baseUrl: true, auth: true, operations: true },
  page: 'docs/openapi.md',
  otherWords: { spec: 'document', definition: 'document', url: 'baseUrl', server: 'baseUrl' },
  required: ['name', 'document'],
};

/**
 * Checks what can be checked of the options without the document.
 * @throws PtcError `OPTION_INVALID`, or `TOOL_INVALID` for the name.
 */
export function checkOptions(options: OpenApiToolsOptions): void {
  checkOptionNames(options, OPENAPI_TOOLS);
  checkSourceName(options.name);
  const { operations, auth }: { readonly operations?: unknown; readonly auth?: unknown } = options;
  const isList =
    isOfKind(operations, 'array') &&
    (operations as readonly unknown[]).every((one) => typeof one === 'string');
  if (operations !== undefined && !isList && typeof operations !== 'function') {
    throw invalidOption('operations', operations, 'a list of operationIds, or a function');
  }
  if (auth !== undefined && !isOfKind(auth, 'plain') && typeof auth !== 'function') {
    throw new PtcError(
      'OPTION_INVALID',
      'auth must be an object with the credentials by the names of security schemes, or a function that returns headers.',
      { details: { option: 'auth' } },
    );
  }
}

/**
 * Checks that the document has the security schemes of `auth`, and that its credentials can be sent.
 * No message has a credential.
 * @throws PtcError `OPTION_INVALID`
 */
export function checkAuth(
  auth: OpenApiAuth | undefined,
  schemes: ReadonlyMap<string, SecurityScheme | undefined>,
): void {
  if (auth === undefined || typeof auth === 'function') return;
  for (const [name, credential] of Object.entries(auth)) {
    const scheme = schemes.get(name);
    if (scheme === undefined) throw invalidAuth(name, unknownScheme(name, schemes));
    if (typeof credential === 'function') continue;
    const isPair =
      isRecord(credential) &&
      [credential.username, credential.password].every((one) => typeof one === 'string');
    const isValid =
      scheme.kind === 'basic' ? isPair : typeof credential === 'string' && credential !== '';
    if (!isValid) {
      const expected =
        scheme.kind === 'basic' ? '{ username, password }' : 'text that is not empty';
      throw invalidAuth(name, `must be ${expected}, or a function that returns it`);
    }
    if (scheme.place === 'header' && typeof credential === 'string' && !isHeaderText(credential)) {
      throw invalidAuth(
        name,
        'has a character that no header can have, such as the line end of a file. Remove it',
      );
    }
  }
}

function unknownScheme(
  name: string,
  schemes: ReadonlyMap<string, SecurityScheme | undefined>,
): string {
  if (schemes.has(name)) return 'is a security scheme of a type that is not supported';
  const nearest = nearestName(name, [...schemes.keys()]);
  const known = [...schemes.keys()].slice(0, 10).join(', ').slice(0, 300);
  const advice = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return `is not a security scheme of the document, which has ${known === '' ? 'none; pass a function that returns headers' : known}.${advice}`;
}

function invalidAuth(name: string, what: string): PtcError {
  return new PtcError(
    'OPTION_INVALID',
    `auth: ${JSON.stringify(name.slice(0, 100))} ${what.endsWith('?') || what.endsWith('.') ? what : `${what}.`}`,
    { details: { option: 'auth', scheme: name } },
  );
}
