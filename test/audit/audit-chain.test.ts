import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/shared/json/json.ts';
import { Chain } from '../../src/audit/chain.ts';
import { canonicalJson } from '../../src/shared/json/canonical-json.ts';
import { recordOf, logRecordOf } from '../../src/audit/record.ts';
import { AuditVerifier, type AuditVerification } from '../../src/audit/verify/check-lines.ts';
import { closedEntry } from './support.ts';
import { codePoint } from '../support/code-point.ts';

const KEY = Buffer.from('a secret of the tests');
const TIME = new Date('2026-11-21T10:00:00Z');

/** The lines of a closed log about sessions of these names. */
function makeLog(names: readonly string[], key?: Buffer): Buffer[] {
  const chain = new Chain(key);
  const opened = { type: 'log-opened', file: 1, after: 'new', keyed: key !== undefined } as const;
  return [
    logRecordOf(opened, TIME),
    ...names.map((name) => recordOf(closedEntry(name), TIME, { includeText: false })),
    logRecordOf({ type: 'log-closed' }, TIME),
  ].map((fields) => chain.seal(fields).subarray(0, -1));
}

function check(lines: readonly Uint8Array[], key?: Buffer): AuditVerification {
  const verifier = new AuditVerifier(key);
  verifier.beginFile('audit.jsonl');
  for (const line of lines) verifier.line(line, true);
  return verifier.finish();
}

const names = fc.array(fc.string({ unit: codePoint }), { minLength: 1, maxLength: 12 });
const key = fc.constantFrom(undefined, KEY);
const index = fc.nat();

describe('the chain of an audit log', () => {
  it('is found right for whatever was recorded, with and without a key [host/audit-lines]', () => {
    fc.assert(
      fc.property(names, key, (given, secret) => {
        const lines = makeLog(given, secret);
        const { problem, remarks, end, ...counts } = check(lines, secret);
        expect({ problem, remarks }).toEqual({ problem: undefined, remarks: [] });
        expect(counts).toEqual({ files: 1, lines: given.length + 2 });
        expect(end?.seq).toBe(given.length + 2);
      }),
    );
  });

  it('has nothing in its lines that could deceive who reads them on a terminal [case 80, host/escaped-characters]', () => {
    const name = 'a\u001b[31m \u009b31m \u007f \u202etxt \u2028 \u{e0041}';
    for (const secret of [undefined, KEY]) {
      const lines = makeLog([name], secret);
      for (const line of lines) expect(String(line)).toMatch(/^[ -~]+$/);
      expect(lines.map((line) => JSON.parse(String(line)) as unknown)).toContainEqual(
        expect.objectContaining({ sessionId: name }),
      );
      expect(check(lines, secret).problem).toBeUndefined();
      // The same content with the character itself is not what the log wrote.
      const raw = String(lines[1]).replaceAll(String.raw`\u009b`, '\u009b');
      const forged = lines.with(1, Buffer.from(raw));
      expect(check(forged, secret).problem?.line).toBe(2);
    }
  });

  it('shows each byte that was changed, at its line [host/audit-changes]', () => {
    fc.assert(
      fc.property(names, key, index, index, fc.integer({ min: 1, max: 255 }), (...given) => {
        const [recorded, secret, which, where, difference] = given;
        const lines = makeLog(recorded, secret);
        const at = which % lines.length;
        const line = Buffer.from(lines[at]!);
        const offset = where % line.length;
        line[offset] = line[offset]! ^ difference;
        // A line feed makes two lines of it, as the file would have.
        const changed = splitAtLineFeed(line);
        const { problem } = check(
          [...lines.slice(0, at), ...changed, ...lines.slice(at + 1)],
          secret,
        );
        expect(problem?.line).toBe(at + 1);
      }),
      { numRuns: 500 },
    );
  });

  it('shows bytes that were put in, taken out or replaced anywhere in the file', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 4 }),
      // A byte order mark, and what stands for another spelling of the same JSON.
      fc
        .constantFrom('\uFEFF', ' ', '\r', '\n', ',', '"seq":1,', '{}', '\uFFFD')
        .map((text) => Buffer.from(text)),
    );
    const count = fc.integer({ min: 0, max: 4 });
    fc.assert(
      fc.property(
        names,
        key,
        fc.double({ min: 0, max: 1, noNaN: true }),
        bytes,
        count,
        (...given) => {
          const [recorded, secret, where, added, removed] = given;
          const file = Buffer.concat(
            makeLog(recorded, secret).map((line) => Buffer.from(`${line.toString()}\n`)),
          );
          const at = Math.floor(where * file.length);
          const changed = Buffer.concat([file.subarray(0, at), added, file.subarray(at + removed)]);
          fc.pre(!changed.equals(file));
          const { problem, remarks } = checkFile(changed, secret);
          // Where the last line is gone, whole, the log is not closed.
          expect(problem ?? remarks[0]).toBeDefined();
        },
      ),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['a byte order mark', (line: string) => `\uFEFF${line}`],
    ['white space', (line: string) => line.replace(':', ': ')],
    [
      'another order',
      (line: string) => line.replace(/("recordedAt":"[^"]*"),("seq":\d+)/, '$2,$1'),
    ],
    [
      'a field that a later one of its name hides',
      (line: string) => line.replace('{', '{"seq":9,'),
    ],
    [
      'another spelling of a letter',
      (line: string) => line.replace('"closed"', String.raw`"\u0063losed"`),
    ],
    ['another spelling of a number', (line: string) => line.replace('"seq":2', '"seq":2.0')],
  ])('shows %s in a line, though it means the same', (_title, change) => {
    const lines = makeLog(['one']);
    const before = lines[1]!.toString();
    const after = change(before);
    expect(after).not.toBe(before);
    lines[1] = Buffer.from(after);
    expect(check(lines).problem?.line).toBe(2);
  });

  it('shows bytes that are not text where the character stood that stands for such bytes', () => {
    const lines = makeLog(['\uFFFD']);
    const at = lines[1]!.indexOf('\uFFFD');
    lines[1] = Buffer.concat([
      lines[1]!.subarray(0, at),
      Buffer.of(0xff),
      lines[1]!.subarray(at + Buffer.byteLength('\uFFFD')),
    ]);
    expect(check(lines).problem?.line).toBe(2);
  });

  it('shows a field that was changed, added or removed, whatever else of the line stays', () => {
    const value = fc.jsonValue() as fc.Arbitrary<JsonValue>;
    fc.assert(
      fc.property(names, index, index, fc.option(fc.string()), fc.option(value), (...given) => {
        const [recorded, which, whichField, newName, newValue] = given;
        const lines = makeLog(recorded);
        const at = which % lines.length;
        const fields = JSON.parse(lines[at]!.toString()) as Record<string, JsonValue>;
        const before = canonicalJson(fields);
        const existing = Object.keys(fields).sort();
        const name = newName ?? existing[whichField % existing.length]!;
        if (newValue === null) delete fields[name];
        else Object.defineProperty(fields, name, { value: newValue, enumerable: true });
        fc.pre(canonicalJson(fields) !== before);
        lines[at] = Buffer.from(canonicalJson(fields));
        expect(check(lines).problem?.line).toBe(at + 1);
      }),
      { numRuns: 500 },
    );
  });

  it('shows lines that were removed before its end [host/audit-changes]', () => {
    fc.assert(
      fc.property(names, key, index, fc.integer({ min: 1, max: 5 }), (...given) => {
        const [recorded, secret, which, count] = given;
        const lines = makeLog(recorded, secret);
        const at = which % (lines.length - 1);
        lines.splice(at, Math.min(count, lines.length - 1 - at));
        expect(check(lines, secret).problem?.line).toBe(at + 1);
      }),
    );
  });

  it('tells of a missing end that the log is not closed [host/audit-end]', () => {
    fc.assert(
      fc.property(names, index, (recorded, which) => {
        const lines = makeLog(recorded);
        const left = lines.slice(0, 1 + (which % (lines.length - 1)));
        const { problem, remarks } = check(left);
        expect(problem).toBeUndefined();
        expect(remarks).toMatchObject([{ line: left.length }]);
        expect(remarks[0]?.what).toContain('the log is open');
      }),
    );
  });

  it('shows lines that were swapped [host/audit-changes]', () => {
    fc.assert(
      fc.property(names, key, index, index, (recorded, secret, one, other) => {
        const lines = makeLog(recorded, secret);
        const [first = 0, second = 0] = [one % lines.length, other % lines.length].sort(
          (left, right) => left - right,
        );
        fc.pre(first !== second);
        [lines[first], lines[second]] = [lines[second]!, lines[first]!];
        expect(check(lines, secret).problem?.line).toBe(first + 1);
      }),
    );
  });

  it('shows lines that were put in: copies, lines of another log, and text [host/audit-changes]', () => {
    fc.assert(
      fc.property(names, names, key, index, index, fc.string(), (...given) => {
        const [recorded, otherRecorded, secret, where, which, text] = given;
        const lines = makeLog(recorded, secret);
        const other = makeLog(otherRecorded, secret);
        const added = [lines, other, [Buffer.from(text.replaceAll('\n', ' '))]].map(
          (from) => from[which % from.length]!,
        );
        for (const line of added) {
          const at = where % (lines.length + 1);
          const { problem } = check([...lines.slice(0, at), line, ...lines.slice(at)], secret);
          // Logs that begin alike share lines: then the one after it is where they part.
          expect([at + 1, at + 2]).toContain(problem?.line);
        }
      }),
    );
  });

  it('cannot be made again without the key [host/audit-key]', () => {
    fc.assert(
      fc.property(names, (recorded) => {
        expect(check(makeLog(recorded), KEY).problem?.what).toBe('the log was made without a key');
        const other = makeLog(recorded, Buffer.from('another secret, guessed'));
        expect(check(other, KEY).problem?.line).toBe(1);
        expect(check(makeLog(recorded, KEY)).problem?.what).toContain('the log has a key');
      }),
    );
  });

  it('has a hash that other programs can make: SHA-256 of the line with sorted keys and no hash', () => {
    const [first] = makeLog(['one']);
    const { hash, ...rest } = JSON.parse(first!.toString()) as Record<string, JsonValue>;
    expect(canonicalJson(rest)).toBe(
      `{"after":"new","file":1,"keyed":false,"previous":"${'0'.repeat(64)}","recordedAt":"2026-11-21T10:00:00.000Z","seq":1,"type":"log-opened"}`,
    );
    // echo -n '…' | sha256sum
    expect(hash).toBe('c51ae50024a2cfa3e37eadf8c30efe14a40fc0a7b441fd6f46a7632d19b8c0d8');
  });

  it('is read without harm where a line is nested beyond every measure', () => {
    const deep = Buffer.from(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    const object = Buffer.from(`{"a":${deep.toString()}}`);
    expect(check([...makeLog([]), deep]).problem?.line).toBe(3);
    expect(check([...makeLog([]), object]).problem?.line).toBe(3);
  });
});

/** Checks a file as it is read: by its line ends. */
function checkFile(bytes: Buffer, secret?: Buffer): AuditVerification {
  const verifier = new AuditVerifier(secret);
  verifier.beginFile('audit.jsonl');
  let begin = 0;
  for (let end = bytes.indexOf('\n'); end !== -1; end = bytes.indexOf('\n', begin)) {
    verifier.line(bytes.subarray(begin, end), true);
    begin = end + 1;
  }
  if (begin < bytes.length) verifier.line(bytes.subarray(begin), false);
  return verifier.finish();
}

function splitAtLineFeed(line: Buffer): Buffer[] {
  const at = line.indexOf('\n');
  return at === -1 ? [line] : [line.subarray(0, at), line.subarray(at + 1)];
}
