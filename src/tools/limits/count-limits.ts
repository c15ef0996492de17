import { checkOptionNames, type OptionNames } from '../../shared/options/option-names.ts';
import { checkCount, checkOneOf, invalidOption } from '../../shared/options/option-values.ts';
import { hasAnnotations, type ToolAnnotations } from '../annotations.ts';

/** How often a tool may be called, in each unit by itself. Each is a whole number from 1. */
export interface MaxCalls {
  /** By one program. @default no limit */
  readonly program?: number;
  /** By all programs and direct calls of one run (`ToolContext.runId`). @default no limit */
  readonly run?: number;
  /** By all programs and direct calls of one session. @default no limit */
  readonly session?: number;
}

/** The units in which calls are counted. */
export type CallUnit = keyof MaxCalls;

/** What happens to a call that its program has made often with equal arguments. */
export interface RepeatedCalls {
  /** How many calls with equal arguments a program may make. A whole number from 1. */
  readonly limit: number;
  /**
   * What happens to each further one: with `ask`, the approver of the policy decides, or it is denied
   * if there is none.
   */
  readonly action: 'deny' | 'ask';
}

/** Limits against programs and models that call a tool again and again. */
export interface CountLimits {
  /** How often the tool may be called. A call that exceeds it fails with `LimitReached`. */
  readonly maxCalls?: MaxCalls;
  /** How often a program may make the same call, or false for any number. */
  readonly repeatedCalls?: RepeatedCalls | false;
}

export const COUNT_LIMIT_NAMES: OptionNames<CountLimits> = { maxCalls: true, repeatedCalls: true };

export const MAX_CALLS_NAMES: OptionNames<MaxCalls> = {
  program: 'number',
  run: 'number',
  session: 'number',
};
export const REPEATED_CALLS_NAMES: OptionNames<RepeatedCalls> = { limit: 'number', action: true };

/** The default for tools that say that each call changes something more. */
const REPEATED_WRITES: RepeatedCalls = Object.freeze({ limit: 20, action: 'ask' });

/** The limits of a tool, with the default. False is resolved to undefined. */
export interface ToolCountLimits {
  readonly maxCalls: MaxCalls | undefined;
  readonly repeatedCalls: RepeatedCalls | undefined;
}

/**
 * The limits of a tool. Programs may call most tools again and again, such as to wait for something.
 * Only a tool that says that it writes, and that the same call again changes something more, has a
 * limit by default.
 * @throws PtcError `OPTION_INVALID`.
 */
export function countLimitsOf(
  definition: CountLimits,
  annotations: ToolAnnotations,
): ToolCountLimits {
  const { maxCalls, repeatedCalls } = checkCountLimits(definition, '', 'docs/tools.md');
  const says = { readOnlyHint: false, idempotentHint: false };
  const usual = hasAnnotations(annotations, says) ? REPEATED_WRITES : undefined;
  const repeated = repeatedCalls ?? usual;
  return { maxCalls, repeatedCalls: repeated === false ? undefined : repeated };
}

/**
 * A copy of the limits in a definition or a rule, without those that are not given.
 * @param owner - What messages put before their names, such as `policy.rules[0].`.
 * @throws PtcError `OPTION_INVALID`.
 */
export function checkCountLimits(
  { maxCalls, repeatedCalls }: CountLimits,
  owner: string,
  page: string,
): CountLimits {
  return {
    ...(maxCalls !== undefined && { maxCalls: checkMaxCalls(maxCalls, `${owner}maxCalls`, page) }),
    ...(repeatedCalls !== undefined && {
      repeatedCalls: checkRepeated(repeatedCalls, `${owner}repeatedCalls`, page),
    }),
  };
}

function checkMaxCalls(maxCalls: MaxCalls, option: string, page: string): MaxCalls {
  checkOptionNames(maxCalls, { of: option, names: MAX_CALLS_NAMES, page });
  const units = Object.entries(maxCalls).filter(([, most]) => most !== undefined);
  for (const [unit, most] of units) checkCount(`${option}.${unit}`, most, 1);
  if (units.length > 0) return Object.freeze(Object.fromEntries(units));
  const expected = 'an object with program, run or session';
  throw invalidOption(option, maxCalls, expected, 'Without maxCalls, there is no limit.');
}

function checkRepeated(
  repeated: RepeatedCalls | false,
  option: string,
  page: string,
): RepeatedCalls | false {
  if (repeated === false) return false;
  const required = ['limit', 'action'] as const;
  checkOptionNames(repeated, { of: option, names: REPEATED_CALLS_NAMES, page, required });
  const { limit, action } = repeated;
  checkCount(`${option}.limit`, limit, 1);
  checkOneOf(`${option}.action`, action, ['deny', 'ask']);
  return Object.freeze({ limit, action });
}
