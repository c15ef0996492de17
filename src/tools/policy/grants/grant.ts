import { PtcError } from '../../../shared/errors.ts';
import { hasMethod, isRecord } from '../../../shared/guards.ts';
import { canonicalJson } from '../../../shared/json/canonical-json.ts';
import {
  formatPath,
  toJsonText,
  type JsonObject,
  type JsonValue,
} from '../../../shared/json/json.ts';
import { isOfKind } from '../../../shared/options/option-kinds.ts';
import { checkOptionNames, type OptionsObject } from '../../../shared/options/option-names.ts';
import {
  checkCount,
  checkDelay,
  checkOneOf,
  invalidOption,
} from '../../../shared/options/option-values.ts';
import { jsonSchemaCheck, type JsonSchemaCheck } from '../../schema/json-schema-validator.ts';
import type { ToolCaller } from '../../tool.ts';

/** What ends a grant: the end of the program, the run or the session whose call was approved. */
export type GrantScope = 'program' | 'run' | 'session';

/**
 * Approves further calls of the same tool in advance. It is part of the approval of one call, covers
 * other calls like it, and ends with its scope.
 */
export interface ApprovalGrant {
  /** How many further calls it covers: from 1 to 10,000. */
  readonly calls: number;
  /**
   * With what it ends at the latest. A direct call has no program and no session, so its grant can
   * only be for the `run`.
   * @default 'program', or 'run' for a direct call
   */
  readonly until?: GrantScope;
  /**
   * How long it lasts at most, in milliseconds.
   * @default 3600000
   */
  readonly durationMs?: number;
  /**
   * Arguments that each covered call must have, with these values, none of which is undefined. The
   * approved call must have them too.
   * @default any arguments
   */
  readonly fields?: Readonly<Record<string, unknown>>;
  /**
   * A JSON Schema that the arguments of each covered call must fit, as their caller sent them. Those
   * of the approved call must fit it too.
   * @default any arguments
   */
  readonly argumentsSchema?: JsonObject;
}

export const GRANT_OPTIONS: OptionsObject<ApprovalGrant> = {
  of: 'grant',
  names: {
    calls: 'number',
    until: 'text',
    durationMs: 'number',
    fields: 'plain',
    argumentsSchema: 'plain',
  },
  page: 'docs/policy.md',
  required: ['calls'],
};

/** The call that was approved, as far as a grant depends on it. */
export interface GrantingCall {
  readonly caller: ToolCaller;
  readonly sessionId: string | undefined;
  /** As they were approved: what the caller sent, or what the approver made of it. */
  readonly arguments: unknown;
}

/** A grant that was checked, with its defaults. */
export interface CheckedGrant {
  readonly calls: number;
  readonly until: GrantScope;
  readonly durationMs: number;
  readonly fields: JsonObject | undefined;
  readonly argumentsSchema: JsonObject | undefined;
  /** Why it is not for a call with these arguments; undefined if it is. */
  readonly gapFor: (sent: unknown) => GrantGap | undefined;
}

/** Which part of a grant a call does not fit. */
interface GrantGap {
  readonly option: string;
  readonly value: unknown;
  readonly expected: string;
}

const MAXIMUM_CALLS = 10_000;
const DEFAULT_DURATION_MS = 3_600_000;

/**
 * @param call - The call that is approved together with the grant.
 * @throws PtcError `OPTION_INVALID` for a grant that could not be used, or does not cover the call that
 *   was approved: it would allow something else than what the approver saw.
 */
export function checkGrant(grant: ApprovalGrant, call: GrantingCall): CheckedGrant {
  const checked = readGrant(grant, call.caller);
  const gap = checked.gapFor(call.arguments);
  if (gap !== undefined) throw invalidOption(gap.option, gap.value, gap.expected);
  return checked;
}

/**
 * @param caller - Who made the calls that are approved together with the grant.
 * @throws PtcError `OPTION_INVALID` for a grant that could not be used.
 */
export function readGrant(grant: ApprovalGrant, caller: ToolCaller): CheckedGrant {
  checkOptionNames(grant, GRANT_OPTIONS);
  const isDirect = caller === 'direct';
  const { calls, until = isDirect ? 'run' : 'program', durationMs = DEFAULT_DURATION_MS } = grant;
  checkCount('grant.calls', calls, 1);
  if (calls > MAXIMUM_CALLS) {
    throw invalidOption('grant.calls', calls, `at most ${MAXIMUM_CALLS}`);
  }
  checkOneOf('grant.until', until, isDirect ? ['run'] : ['program', 'run', 'session']);
  checkDelay('grant.durationMs', durationMs);
  const fields = grant.fields && copyOf('grant.fields', grant.fields);
  const wanted = Object.entries(fields ?? {}).map(
    ([name, value]) => [name, canonicalJson(value)] as const,
  );
  const argumentsSchema =
    grant.argumentsSchema && copyOf('grant.argumentsSchema', grant.argumentsSchema);
  const schema = argumentsSchema && compiled(argumentsSchema);
  const gapFor = (sent: unknown): GrantGap | undefined => {
    const [missing] = wanted.find(([name, text]) => !hasValue(sent, name, text)) ?? [];
    if (missing !== undefined) {
      const expected = `the value of ${missing} in the call that is approved, which the grant must cover`;
      return { option: `grant.fields.${missing}`, value: fields?.[missing], expected };
    }
    const fits = schema?.check(sent);
    if (fits?.valid !== false) return undefined;
    const expected = `one that the call that is approved fits, too, but ${fits.message}`;
    return { option: 'grant.argumentsSchema', value: argumentsSchema, expected };
  };
  return { calls, until, durationMs, fields, argumentsSchema, gapFor };
}

/** A copy of its own, so that a later change of the object changes nothing. */
function copyOf(option: string, object: Readonly<Record<string, unknown>>): JsonObject {
  let text: string;
  try {
    text = toJsonText(object, option);
  } catch (cause) {
    const message = `${option} must consist of JSON values.`;
    throw new PtcError('OPTION_INVALID', message, { cause, details: { option } });
  }
  checkIsDefined(object, option.split('.'));
  return JSON.parse(text) as JsonObject;
}

/**
 * JSON leaves undefined members out, so a condition that an approver made of an argument that the call
 * does not have would be none.
 * @throws PtcError `OPTION_INVALID` for an undefined value anywhere in it.
 */
function checkIsDefined(value: unknown, path: readonly string[]): void {
  if (value === undefined) {
    const advice = 'An undefined value is not a condition: the grant would cover any value.';
    throw invalidOption(formatPath(path), value, 'a JSON value', advice);
  }
  if (typeof value !== 'object' || value === null || hasMethod(value, 'toJSON')) return;
  for (const [name, member] of Object.entries(value)) checkIsDefined(member, [...path, name]);
}

function compiled(argumentsSchema: JsonObject): JsonSchemaCheck {
  const option = 'grant.argumentsSchema';
  let check: JsonSchemaCheck;
  try {
    check = jsonSchemaCheck(argumentsSchema);
  } catch (cause) {
    const message = `${option} is not a JSON Schema that can be used.`;
    throw new PtcError('OPTION_INVALID', message, { cause, details: { option } });
  }
  // The programs choose the texts, and nothing limits the time of this check.
  const [slow] = check.unboundedPatterns;
  if (slow === undefined) return check;
  const advice = `Its pattern ${String(slow)} can take long for some texts: use a simpler one.`;
  throw invalidOption(option, argumentsSchema, 'a schema whose checks are quick', advice);
}

function hasValue(sent: unknown, name: string, text: string): boolean {
  if (!isRecord(sent) || !Object.hasOwn(sent, name)) return false;
  return isOfKind(sent, 'plain') && canonicalJson(sent[name] as JsonValue) === text;
}
