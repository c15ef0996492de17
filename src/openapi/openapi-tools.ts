import { messageOf, PtcError } from '../shared/errors.ts';
import { warn } from '../shared/process-warning.ts';
import { toIdentifier } from '../tools/names.ts';
import type { ToolSource } from '../tools/registry/tool-source.ts';
import type { Tool } from '../tools/tool.ts';
import { OpenApiDocument } from './document/document.ts';
import { unreadPartsOf, type FoundOperation } from './document/operations.ts';
import { baseUrlOf } from './document/servers.ts';
import { operationTool, type Service } from './operation-tool.ts';
import { checkOptions, type OpenApiToolsOptions } from './options.ts';
import { Schemas } from './schema/schemas.ts';
import { selectOperations } from './select-operations.ts';
import { ServiceAuth } from './service-auth.ts';

/**
 * Returns the operations of an HTTP service as a source of tools, one for each operation of its
 * OpenAPI document. Operations that cannot be tools are left out, and the process gets a warning
 * with the code `PTC_OPENAPI_OPERATION`, which says why.
 * @throws PtcError `OPTION_INVALID` or `TOOL_INVALID` for options that cannot be used, such as a
 * document that is not an OpenAPI document, or a list of `operations` with one that cannot be a tool.
 */
export function openApiTools(options: OpenApiToolsOptions): ToolSource<unknown> {
  checkOptions(options);
  const { name, baseUrl, operations } = options;
  const document = new OpenApiDocument(options.document);
  const auth = new ServiceAuth(document, options.auth);
  const service: Service = {
    document,
    schemas: new Schemas(document),
    baseUrl: baseUrlOf(document, baseUrl),
    auth,
  };
  const selected = selectOperations(document, operations);
  auth.checkUse(selected);
  const tools = new Map<string, Tool<unknown>>();
  // All operations that a list names were found.
  const leftOut = Array.isArray(operations) ? [] : [...unreadPartsOf(document)];
  for (const found of selected) {
    const { method, path, name: own } = found.operation;
    try {
      const identifier = toIdentifier(own);
      if (tools.has(identifier)) throw new Error(`another tool is ${identifier} too`);
      tools.set(identifier, operationTool(service, found));
    } catch (error) {
      if (Array.isArray(operations)) throw notATool(listedAs(operations, found), error);
      leftOut.push(`${method} ${path.slice(0, 100)} (${messageOf(error).slice(0, 200)})`);
    }
  }
  if (leftOut.length > 0) {
    const count = leftOut.length === 1 ? '1 operation' : `${leftOut.length} operations`;
    warn(
      `Programs cannot have ${count} of the document of ${name}: ${leftOut.slice(0, 5).join(', ')}`,
      'PTC_OPENAPI_OPERATION',
    );
  }
  const all = [...tools.values()];
  return { name, tools: () => all };
}

/** What a list calls an operation: it has an `operationId`, and its tool has a name. */
function listedAs(names: readonly string[], { operation }: FoundOperation): string {
  const { name, operationId } = operation;
  return names.find((one) => one === operationId) ?? name;
}

/** For an operation that a list names: it is needed, so a warning is not enough. */
function notATool(name: string, cause: unknown): PtcError {
  return new PtcError(
    'OPTION_INVALID',
    `operations: ${JSON.stringify(name.slice(0, 200))} cannot be a tool (${messageOf(cause).slice(0, 200)}). Leave it out. If programs need it, define a tool of your own.`,
    { cause, details: { option: 'operations', operation: name } },
  );
}
