import { z } from 'zod';
import { z as z3 } from 'zod3';
import type { ToolDefinition } from '../../src/tools/define-tool.ts';
import type { ZodSchema } from '../../src/tools/schema/schema.ts';

const NESTED = /^(a+)+$/;
const SPACES = /\s+$/;
const FIFTY_KEYS = Array.from({ length: 50 }, (_, index) => `property_${index}`);

interface Node {
  value: string;
  children?: Node[] | undefined;
}

const node: z.ZodType<Node> = z.lazy(() =>
  z.strictObject({ value: z.string(), children: z.array(node).optional() }),
);
const node3: z3.ZodType<Node> = z3.lazy(() =>
  z3.strictObject({ value: z3.string(), children: z3.array(node3).optional() }),
);

const SCHEMAS: Readonly<Record<string, ZodSchema>> = {
  zod_union: z.object({ ids: z.array(z.union([z.string(), z.null(), z.boolean()])) }),
  zod_record: z.record(z.string(), z.array(z.string())),
  zod_closed: z.strictObject(
    Object.fromEntries(FIFTY_KEYS.map((key) => [key, z.string().optional()])),
  ),
  zod_coerced: z.object({
    bigint: z.coerce.bigint().optional(),
    number: z.coerce.number().optional(),
    date: z.coerce.date().optional(),
    text: z.coerce.string().optional(),
  }),
  zod_patterns: z.object({
    nested: z.string().regex(NESTED).optional(),
    spaces: z.string().regex(SPACES).optional(),
  }),
  zod_formats: z.object({
    email: z.email().optional(),
    url: z.url().optional(),
    ipv6: z.ipv6().optional(),
    cidr: z.cidrv6().optional(),
    date_time: z.iso.datetime().optional(),
    duration: z.iso.duration().optional(),
    base64: z.base64().optional(),
    jwt: z.jwt().optional(),
    emoji: z.emoji().optional(),
  }),
  zod_events: z.object({
    events: z.array(
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('opened'), by: z.string() }),
        z.object({ kind: z.literal('closed'), reason: z.string() }),
      ]),
    ),
  }),
  zod_tree: z.object({ root: node }),
  zod_catchall: z.object({ name: z.string().optional() }).catchall(z.number()),
  zod_rows: z.object({ row: z.tuple([z.string(), z.number()]).rest(z.boolean()) }),
  zod_both: z.object({
    both: z.intersection(
      z.record(z.string(), z.number()),
      z.looseObject({ name: z.string().optional() }),
    ),
  }),
  zod_normal: z.object({ text: z.string().normalize('NFC').trim().toLowerCase() }),
  zod3_union: z3.object({ ids: z3.array(z3.union([z3.string(), z3.null(), z3.boolean()])) }),
  zod3_record: z3.record(z3.array(z3.string())),
  zod3_closed: z3.strictObject(
    Object.fromEntries(FIFTY_KEYS.map((key) => [key, z3.string().optional()])),
  ),
  zod3_patterns: z3.object({
    nested: z3.string().regex(NESTED).optional(),
    email: z3.string().email().optional(),
    url: z3.string().url().optional(),
    date_time: z3.string().datetime().optional(),
  }),
  zod3_tree: z3.object({ root: node3 }),
};

/** Tools with every kind of zod schema, of both versions. Each answers `taken`. */
export const ZOD_TOOLS: readonly ToolDefinition[] = Object.entries(SCHEMAS).map(
  ([name, inputSchema]) => ({
    name,
    description: 'Takes what it is given.',
    inputSchema,
    run: () => 'taken',
  }),
);
