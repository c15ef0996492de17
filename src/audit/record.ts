import type { JsonObject, JsonValue } from '../shared/json/json.ts';
import type { AuditEntry } from './entry.ts';
import { describeText, type AuditTextOptions } from './text.ts';

/**
 * The longest name or reason, in UTF-16 units. Longer ones are cut, because a sandbox chooses some
 * of them.
 */
const MAXIMUM_NAME_LENGTH = 1024;

/** A record about the log itself. */
export type LogRecord =
  | {
      /** The first line of each file, and of each process that continues a file. */
      readonly type: 'log-opened';
      /** Its number in the series, from 1. */
      readonly file: number;
      readonly after: WhatCameBefore;
      /** Whether the hashes are made with a key. */
      readonly keyed: boolean;
      /** The part of a line before this one that a crash left. */
      readonly torn?: TornText;
    }
  | { readonly type: 'log-rotated'; readonly nextFile: number }
  | { readonly type: 'log-closed' }
  /** How many entries were lost while the file could not be written. */
  | { readonly type: 'entries-dropped'; readonly count: number };

/**
 * What came before a file or a process: nothing, a full file, a log that was closed, or a process
 * that ended without closing it, perhaps after it had ended a file and before it began the next.
 */
export type WhatCameBefore = 'new' | 'rotated' | 'closed' | 'crash' | 'crash-between-files';

/** Text that is not a line, which stays in the file unchanged. */
export type TornText = { readonly bytes: number; readonly sha256: string };

/** The content of an entry's line, without its position in the chain. */
export function recordOf(entry: AuditEntry, time: Date, options: AuditTextOptions): JsonObject {
  const fields: Record<string, JsonValue> = { recordedAt: time.toISOString() };
  for (const [name, value] of Object.entries(entry) as [string, unknown][]) {
    if (name === 'code') Object.assign(fields, describeText('code', String(value), options));
    else if (name === 'arguments') {
      Object.assign(fields, describeText('arguments', JSON.stringify(value) ?? 'null', options));
    } else if (value !== undefined) fields[name] = plain(value);
  }
  return fields;
}

/** The content of a line about the log itself. */
export function logRecordOf(record: LogRecord, time: Date): JsonObject {
  return { recordedAt: time.toISOString(), ...record };
}

function plain(value: unknown): JsonValue {
  if (typeof value === 'number')
    return Number.isFinite(value) ? Math.round(value * 1000) / 1000 : null;
  if (typeof value === 'string') return shorten(value);
  if (typeof value !== 'object' || value === null) return value === true;
  if (Array.isArray(value)) return value.map((name) => shorten(String(name)));
  // Labels.
  return Object.fromEntries(
    Object.entries(value).map(([name, label]) => [name, shorten(String(label))]),
  );
}

function shorten(text: string): string {
  if (text.length <= MAXIMUM_NAME_LENGTH) return text;
  return `${text.slice(0, MAXIMUM_NAME_LENGTH)}… (${text.length} characters)`;
}
