// The initial inputs: the golden frames, for each of the two kinds of streams.

import { readdirSync, readFileSync } from 'node:fs';

const FRAMES = new URL('../../test/fixtures/frames/', import.meta.url);
/** Inputs that once failed. */
export const SEEDS = new URL('../../test/fuzz/seeds/', import.meta.url);

const STEP = 7;

export function firstInputs() {
  const lines = jsonFiles(FRAMES)
    .filter(({ direction }) => direction === 'runner-to-host')
    .map(({ stream, bytes }) => ({ stream, bytes: Buffer.from(bytes) }));
  const all = lines.map(attachPart);
  return [
    ...lines.map(({ stream, bytes }) => input(stream === 'stderr' ? 1 : 0, bytes)),
    ...all.map((part) => input(2, part)),
    input(2, Buffer.concat(all)),
    ...readdirSync(SEEDS).map((name) => readFileSync(new URL(name, SEEDS))),
  ];
}

/** The parts that mutations insert: everything that has a meaning to one of the readers. */
export function tokens() {
  const markers = jsonFiles(FRAMES).flatMap(({ bytes }) => bytes.match(/__PTC_[A-Z_]+?__/g));
  const texts = [
    ...new Set(markers),
    ...['"__proto__":{"polluted":1},', '"constructor":{"prototype":{"polluted":1}},'],
    ...['{', '}', '[', ']', '"', ':', ',', '\\', '\\"', '\\u0000', '\\ud800', '\n', '\r\n', '\0'],
    ...['{"a":'.repeat(70), '['.repeat(70), ']'.repeat(70), 'x'.repeat(120)],
    ...['-1', '-0', '1e308', '1e999', '9007199254740993', '0x10', 'NaN', 'null', 'true', '1.5'],
    ...['{}', '[]', '""', '"a"', '{"a":1}', '[1]', '"stdout"', '{"reason":"exit","status":0}'],
  ];
  const bytes = [
    [0xff],
    [0xc3],
    [0xe2, 0x82],
    [0xef, 0xbb, 0xbf],
    [1, 0, 0, 0, 0, 0, 0, 0],
    [2, 0, 0, 0, 0, 0, 0, 9],
    [1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
    [3, 0, 0, 0, 0, 0, 0, 1],
  ];
  return [...texts.map((text) => Buffer.from(text)), ...bytes.map((list) => Buffer.from(list))];
}

/** A part of an engine's attach stream. */
export function attachPart({ stream, bytes }) {
  const header = Buffer.from([stream === 'stderr' ? 2 : 1, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

function input(how, payload) {
  return Buffer.concat([Buffer.from([how, STEP]), payload]);
}

function jsonFiles(directory) {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(new URL(name, directory), 'utf8')));
}
