import { asSchema } from 'ai';
import { hasMethod, isRecord } from '../../shared/guards.ts';
import { messageOf, PtcError } from '../../shared/errors.ts';
import { LateInput } from '../../tools/late-input.ts';
import type { Validate } from '../../tools/schema/bounded-validator.ts';
import { ARGUMENTS, cutText, describeProblems } from '../../tools/schema/problems.ts';
import type { SchemaSource } from '../../tools/schema/schema.ts';

/** What a schema of the AI SDK's own is asked for. */
type OwnSchema = Pick<ReturnType<typeof asSchema>, 'jsonSchema' | 'validate'>;
type OwnValidate = OwnSchema['validate'] & {};

export interface ReadSchema {
  readonly schema: SchemaSource;
  /** The schema's own check, for what its JSON Schema does not say. */
  readonly check: Validate | undefined;
}

/**
 * Schemas of zod and of other libraries are used as they are, so that the checks of this package
 * bound their time. A schema of the AI SDK's own (`jsonSchema`, `zodSchema`, `lazySchema`) is its
 * JSON Schema and its own check.
 * @throws PtcError `TOOL_INVALID`.
 */
export function readSchema(name: string, field: string, source: unknown): ReadSchema {
  const isOfLibrary =
    (typeof source === 'object' || typeof source === 'function') &&
    source !== null &&
    '~standard' in source;
  if (isOfLibrary) return { schema: source as SchemaSource, check: undefined };
  let own: OwnSchema;
  try {
    own = asSchema(source as Parameters<typeof asSchema>[0]);
  } catch (error) {
    throw invalid(name, `its ${field} cannot be read: ${messageOf(error)}`);
  }
  const { jsonSchema, validate } = own;
  if (!isRecord(jsonSchema) || 'then' in jsonSchema) {
    throw invalid(
      name,
      `the JSON Schema of its ${field} is not there yet, but a promise. Await it, and pass the tool with jsonSchema(await …).`,
    );
  }
  return { schema: jsonSchema, check: validate && checkOf(validate) };
}

/** That of `zodSchema` always answers with a promise. */
function checkOf(validate: OwnValidate): Validate {
  return (value) => {
    try {
      const answer = validate(value);
      if (isPromiseLike(answer)) return { valid: true, value: new LateInput(valueOf(answer)) };
      if (answer.success) return { valid: true, value: answer.value };
      const text = messageOf(answer.error);
      const message = describeProblems([{ kind: 'stated', path: [], text }], value, ARGUMENTS);
      return { valid: false, message };
    } catch (error) {
      return {
        valid: false,
        message: `${ARGUMENTS.schema} failed: ${cutText(messageOf(error), 300)}`,
      };
    }
  };
}

async function valueOf(answer: PromiseLike<Awaited<ReturnType<OwnValidate>>>): Promise<unknown> {
  const validation = await answer;
  if (!validation.success) throw validation.error;
  return validation.value;
}

function isPromiseLike<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return hasMethod(value, 'then');
}

export function invalid(name: string, what: string): PtcError {
  return new PtcError('TOOL_INVALID', `Tool ${JSON.stringify(name)}: ${what}`, {
    details: { tool: name },
  });
}
