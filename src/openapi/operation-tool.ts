import type { JsonObject } from '../shared/json/json.ts';
import { toTool } from '../tools/define-tool.ts';
import type { Tool, ToolContext, Validation } from '../tools/tool.ts';
import { argumentsOf } from './arguments.ts';
import { bodyOf } from './document/body.ts';
import type { OpenApiDocument } from './document/document.ts';
import type { FoundOperation } from './document/operations.ts';
import { parametersOf, quoted, Unsupported, type Parameter } from './document/parameters.ts';
import { resultsOf } from './document/results.ts';
import { isToken } from './document/security.ts';
import { baseUrlOfOperation } from './document/servers.ts';
import { readAnswer } from './request/answer.ts';
import { buildRequest, type RequestTemplate } from './request/build-request.ts';
import { send } from './request/send.ts';
import type { Schemas } from './schema/schemas.ts';
import type { ServiceAuth } from './service-auth.ts';

/** What the operations of a document share. */
export interface Service {
  readonly document: OpenApiDocument;
  readonly schemas: Schemas;
  readonly baseUrl: URL;
  readonly auth: ServiceAuth;
}

/**
 * Makes a tool of an operation.
 * @throws Unsupported or PtcError `TOOL_INVALID` if it cannot be a tool.
 */
export function operationTool(service: Service, found: FoundOperation): Tool<unknown> {
  const { document, schemas, auth } = service;
  const { operation, part } = found;
  const { method, path } = operation;
  const parameters = parametersOf(document, found).filter(
    (one) => isFree(one, auth) && (one.place !== 'path' || path.includes(`{${one.name}}`)),
  );
  checkPath(path, parameters);
  const body = bodyOf(document, method, found);
  const taken = argumentsOf(document, schemas, parameters, body);
  const baseUrl = baseUrlOfOperation(service.baseUrl, found);
  const template: RequestTemplate = { method, path, baseUrl, arguments: taken, body, auth };
  const credentialNames = auth.namesFor(part);
  const outputSchema = outputSchemaOf(service, found);
  const run = async (input: unknown, context: ToolContext): Promise<unknown> => {
    const credentials = await auth.credentials(credentialNames, context);
    const { signal } = context;
    const request = buildRequest(template, input as Readonly<Record<string, unknown>>, credentials);
    const response = await send(request, signal);
    const { secrets } = credentials;
    return readAnswer(response, { url: request.url, secrets, signal });
  };
  const tool = toTool<unknown>(
    {
      name: operation.name,
      description: descriptionOf(found),
      inputSchema: taken.inputSchema,
      ...(READING.has(method) && { annotations: { readOnlyHint: true } }),
      ...(outputSchema && { outputSchema }),
      run,
    },
    'first call',
  );
  const validateInput = (value: unknown): Validation =>
    withoutNulls(tool.validateInput(value), taken.nullIsAbsent);
  return Object.freeze({ ...tool, validateInput });
}

/** Rules of a policy judge what is sent, so arguments that are null and not sent are left out. */
function withoutNulls(validation: Validation, absent: ReadonlySet<string>): Validation {
  if (!validation.valid) return validation;
  const given = Object.entries(validation.value as JsonObject).filter(
    ([name, value]) => value !== null || !absent.has(name),
  );
  return { valid: true, value: Object.fromEntries(given) };
}

/** By their definition (RFC 9110), these methods change nothing. */
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

function descriptionOf({ operation, part }: FoundOperation): string {
  const { method, path, isDeprecated } = operation;
  const { summary, description } = part;
  const texts = [...new Set([summary, description])].filter(
    (text) => typeof text === 'string' && text.trim() !== '',
  );
  if (texts.length === 0) texts.push(`${method} ${path}`);
  return [...(isDeprecated ? ['Deprecated.'] : []), ...texts].join('\n\n');
}

/** The schema of the results; undefined if they can be anything. */
function outputSchemaOf(
  { document, schemas }: Service,
  { operation, part }: FoundOperation,
): JsonObject | undefined {
  if (operation.method === 'HEAD') return undefined;
  const results = resultsOf(document, part);
  if (results.length === 0 || results.some(({ kind }) => kind === 'unknown')) return undefined;
  const copies = results.flatMap((one) =>
    one.kind === 'json' ? schemas.copy(one.schema, 'response') : [],
  );
  if (schemas.areTooLarge(copies)) return undefined;
  const choices: JsonObject[] = copies.map(({ schema }) => schema);
  if (results.some(({ kind }) => kind === 'text')) choices.push({ type: 'string' });
  if (results.some(({ kind }) => kind === 'nothing')) choices.push({ type: 'null' });
  const [only] = choices;
  const schema = only && choices.length === 1 ? only : { anyOf: choices };
  return schemas.withDefinitions(schema, copies, 'response');
}

/** Headers of the connection, and those that only the host sets. */
const HOST_HEADERS =
  /^(accept|accept-encoding|authorization|connection|content-(length|type|encoding)|cookie2?|date|expect|host|keep-alive|origin|proxy-.*|referer|sec-.*|te|trailer|transfer-encoding|upgrade|user-agent|via)$/i;

/** Whether programs may set a parameter: not what carries credentials or belongs to the connection. */
function isFree({ place, name }: Parameter, auth: ServiceAuth): boolean {
  if (place === 'header') {
    if (HOST_HEADERS.test(name)) return false;
    if (!isToken(name)) {
      throw new Unsupported(`the header ${quoted(name)} cannot be sent`);
    }
  }
  return !auth.isCredential(place, name);
}

/** Each part of a path in braces must be a parameter, and nothing may climb out of the path. */
function checkPath(path: string, parameters: readonly Parameter[]): void {
  const known = new Set(parameters.filter(({ place }) => place === 'path').map(({ name }) => name));
  for (const [, name = ''] of path.matchAll(/\{([^{}]*)\}/g)) {
    if (!known.has(name))
      throw new Unsupported(`its path has ${quoted(name)}, which is not a parameter`);
  }
  if (
    /[?#\\]|[{}]/.test(path.replaceAll(/\{[^{}]*\}/g, '')) ||
    /(^|\/)(\.|%2e){1,2}(\/|$)/i.test(path) ||
    // A URL drops tabs and line ends, which could hide a `..`.
    /\p{Cc}/u.test(path)
  ) {
    throw new Unsupported('its path is not a path');
  }
}
