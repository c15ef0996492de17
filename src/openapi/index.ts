/**
 * Tools of HTTP services that have an OpenAPI document.
 * @module sandboxed-ptc/openapi
 */
export { openApiTools } from './openapi-tools.ts';
export type { OpenApiToolsOptions } from './options.ts';
export type { OpenApiOperation } from './document/operations.ts';
export type { OpenApiAuth, OpenApiCredential } from './request/credentials.ts';
