import { messageOf } from '../../shared/errors.ts';
import { ArgumentReader, type Refusal } from './argument-reader.ts';
import { DeadlineError, withinDeadline } from '../limits/deadline.ts';
import { ARGUMENTS, cutText, describeProblems, type Subject } from './problems.ts';
import type { Validation } from '../tool.ts';

export type Validate = (value: unknown) => Validation;

/** Checks values against a schema, without a time limit. */
export interface SchemaCheck {
  /**
   * The number of the schema's parts, where each part counts wherever it is referred to. Infinity
   * if the schema refers to itself, or has a pattern whose time may grow faster than the length of
   * the text.
   */
  readonly size: number;
  /** Why a text is refused before `check` sees it; undefined if it is not. */
  readonly refuseText?: ((text: string) => string | undefined) | undefined;
  check(value: unknown): Validation;
  /** A message with all problems, if that of `check` has only the first one. */
  describeAll?(value: unknown): string;
}

/**
 * Both leave room below 50 ms for other work, and for the time V8 needs to stop work whose time is
 * up. Arguments larger than the default limit of a call are possible only if that limit was raised,
 * and get proportionally more time.
 */
const CHECK_MS = 15;
/** The default limits of a call, which are `DEFAULT_CALL_LIMITS` of the protocol. */
const CALL_VALUES = 20_000;
const CALL_CHARACTERS = 1024 * 1024;
const DESCRIBE_MS = 10;

/**
 * The largest product of values and parts of the schema that is checked without a time limit. zod
 * takes up to 10 µs for one.
 */
const MAXIMUM_STEPS = 2000;
const MAXIMUM_CHARACTERS = 20_000;
/** Up to this many values, all problems are described if the schema has no finite size. */
const MAXIMUM_DESCRIBED = 1000;

const FIRST_ONLY =
  'Values of this size are checked only up to the first problem: there may be more.';

/** A validator that never throws and blocks the event loop for less than 50 ms. */
export function boundedValidator(
  schema: SchemaCheck,
  subject: Subject = ARGUMENTS,
): (value: unknown) => Validation {
  const maximumValues = Math.floor(MAXIMUM_STEPS / schema.size);
  return (value) => {
    try {
      if (maximumValues > 0) {
        const reader = new ArgumentReader(maximumValues, MAXIMUM_CHARACTERS, schema.refuseText);
        const refusal = reader.read(value);
        if (refusal) return refuse(refusal, value, subject);
        if (!reader.isTooLarge) return checkSmall(schema, value);
      }
      return checkLarge(schema, value, subject);
    } catch (error) {
      return { valid: false, message: reasonOf(error, subject) };
    }
  };
}

/** A validator that is made for the first value. If that fails, no value is valid. */
export function whenNeeded(make: () => Validate, { whole }: Subject): Validate {
  let validate: Validate | undefined;
  return (value) => {
    try {
      validate ??= make();
    } catch (error) {
      const message = `${whole}: it cannot be checked: ${messageOf(error)}`;
      validate = () => ({ valid: false, message });
    }
    return validate(value);
  };
}

function checkSmall(schema: SchemaCheck, value: unknown): Validation {
  const result = schema.check(value);
  if (result.valid || schema.describeAll === undefined) return result;
  return { valid: false, message: schema.describeAll(value) };
}

function checkLarge(schema: SchemaCheck, value: unknown, subject: Subject): Validation {
  const reader = new ArgumentReader(Infinity, Infinity, schema.refuseText);
  const refusal = reader.read(value);
  if (refusal) return refuse(refusal, value, subject);
  const size = Math.max(1, reader.values / CALL_VALUES, reader.characters / CALL_CHARACTERS);
  const result = withinDeadline(Math.ceil(CHECK_MS * size), () => schema.check(value));
  if (result.valid || schema.describeAll === undefined) return result;
  const isShort = reader.values <= MAXIMUM_DESCRIBED && reader.characters <= MAXIMUM_CHARACTERS;
  if (schema.size === Infinity && isShort) {
    try {
      const message = withinDeadline(DESCRIBE_MS, () => schema.describeAll?.(value));
      return { valid: false, message: message ?? result.message };
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
    }
  }
  return { valid: false, message: `${result.message}\n${FIRST_ONLY}` };
}

function refuse(refusal: Refusal, value: unknown, subject: Subject): Validation {
  const message = describeProblems([{ kind: 'other', ...refusal }], value, subject);
  return { valid: false, message };
}

function reasonOf(error: unknown, { whole, schema }: Subject): string {
  if (error instanceof DeadlineError) {
    return `${whole}: checking it took longer than the limit of ${error.limitMs} ms. If the types are right, use fewer, smaller or less deeply nested values`;
  }
  if (error instanceof RangeError) {
    return `${whole}: it cannot be checked (${cutText(error.message)}); use smaller or less deeply nested values`;
  }
  // Reached if a transform or refinement throws or is asynchronous.
  return `${schema} failed: ${cutText(messageOf(error), 300)}`;
}
