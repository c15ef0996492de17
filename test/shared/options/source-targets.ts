import { openApiTools } from '../../../src/openapi/openapi-tools.ts';
import { OPENAPI_TOOLS } from '../../../src/openapi/options.ts';
import type { Target } from './target.ts';

/** As `TARGETS`, of the sources of tools. */
export const SOURCE_TARGETS: Readonly<Record<string, Target>> = {
  openApiTools: {
    names: OPENAPI_TOOLS.names,
    page: 'openapi.md',
    base: { name: 'a', document: { openapi: '3.1.0', paths: {} }, baseUrl: 'http://localhost' },
    accepts: { auth: ['plain', 'function'], operations: ['array', 'function'] },
    call: openApiTools,
  },
};
