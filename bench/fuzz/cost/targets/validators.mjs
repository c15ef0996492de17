// Validation of arguments, and the description of errors: by JSON Schema, zod 3, zod 4 and
// libraries that implement Standard JSON Schema.

import { z } from 'zod';
import { z as z3 } from 'zod3';
import { defineTool } from '../../../../dist/index.js';
import { FEATURE_SCHEMAS } from '../schemas/features.mjs';
import { MCP_SCHEMAS } from '../schemas/mcp.mjs';
import { OPENAPI_SCHEMAS } from '../schemas/openapi.mjs';
import { ARKTYPE_SCHEMAS, VALIBOT_SCHEMAS } from '../schemas/standard.mjs';
import { zodSchemas } from '../schemas/zod.mjs';
import { render } from '../shapes.mjs';
import { argumentShapes } from '../values.mjs';
import { canArrive } from './frames.mjs';

const KINDS = {
  'json-schema mcp': MCP_SCHEMAS,
  'json-schema openapi': OPENAPI_SCHEMAS,
  'json-schema': FEATURE_SCHEMAS,
  zod3: zodSchemas(z3),
  zod4: zodSchemas(z),
  'standard valibot': VALIBOT_SCHEMAS,
  'standard arktype': ARKTYPE_SCHEMAS,
};

export const VALIDATOR_TARGETS = Object.entries(KINDS).flatMap(([kind, schemas]) =>
  Object.entries(schemas).map(([name, inputSchema]) => ({
    name: `${kind}: ${name}`,
    of: 'tools/json-schema-validator, tools/zod-validator, tools/standard-schema, tools/problems',
    make: () => makeTarget(inputSchema),
  })),
);

/** With more, some patterns would take forever. */
const TRIED_COUNT = 3;

function makeTarget(inputSchema) {
  const tool = defineTool({ name: 'target', description: 'A tool.', inputSchema, run: () => null });
  const isValid = (shape) => tool.validateInput(render(shape, TRIED_COUNT)).valid;
  return {
    ...argumentShapes(tool.inputSchema, isValid),
    isText: false,
    canArrive,
    // A check is stopped at its deadline. V8 collects its garbage in as many threads as there are
    // processors. The deadline limits how long the host's event loop is blocked.
    clock: 'main-thread',
    run: (input) => tool.validateInput(input),
  };
}
