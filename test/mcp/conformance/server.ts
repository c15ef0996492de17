import { setTimeout as delay } from 'node:timers/promises';
import type { ToolDefinition } from '../../../src/tools/define-tool.ts';
import type { PolicyOptions } from '../../../src/tools/policy/policy-gate.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import type { ToolContext } from '../../../src/tools/tool.ts';

const direct = {
  allowedCallers: ['direct'],
  description: 'Is for the conformance suite.',
} as const;

/** Longer than the 100 ms between two reports that are passed on. */
const PAUSE_MS = 110;

/** Tools about whose calls the policy asks, so that the user of the client is asked. */
const ASKED = ['elicitation', 'request_state', 'multi_round', 'tampered_state', 'capabilities'].map(
  (name) => `test_input_required_result_${name}`,
);

/** The schema that the suite wants a server to list as it is. */
const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- it is a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
} as const;

const TOOLS: readonly ToolDefinition[] = [
  { ...direct, name: 'test_simple_text', run: () => 'This is a simple text response for testing.' },
  {
    ...direct,
    name: 'test_error_handling',
    run: () => {
      throw new Error('This tool intentionally returns an error for testing');
    },
  },
  {
    ...direct,
    name: 'test_tool_with_progress',
    run: async (_input: unknown, { progress }: ToolContext) => {
      progress({ progress: 0, total: 100 });
      await delay(PAUSE_MS);
      progress({ progress: 50, total: 100 });
      await delay(PAUSE_MS);
      progress({ progress: 100, total: 100 });
    },
  },
  { ...direct, name: 'json_schema_2020_12_tool', inputSchema: SCHEMA_2020_12, run: () => 'called' },
  { ...direct, name: 'test_logging_tool', run: () => 'logged nothing' },
  { ...direct, name: 'test_streaming_elicitation', run: () => 'asked nothing' },
  ...ASKED.map((name) => ({ ...direct, name, run: () => 'approved' })),
];

/** The tools of the scenarios, as far as a server of this package can have them. One of them changes the others. */
export function conformanceTools(): ToolRegistry {
  const tools = new ToolRegistry(TOOLS);
  const added = { ...direct, name: 'added', run: () => 'added' };
  const change = (): void => {
    if (!tools.remove('added')) tools.register(added);
  };
  tools.register({ ...direct, name: 'test_trigger_tool_change', run: change });
  return tools;
}

export const POLICY: PolicyOptions = { rules: [{ tool: ASKED, action: 'ask' }] };
