import { expect, test } from 'vitest';
import {
  countedTwice,
  largestOf,
  ownObjectBytes,
  sharedBytes,
  sumOf,
} from '../../../src/providers/bubblewrap/memory/memory-use.ts';

const NOTHING = { sockets: 0, locks: 0, temporaryBytes: 0 };
const NO_OBJECTS = { mappings: 0, watches: 0, pipes: [], textBytes: 0 };

test('each object counts, and a pipe that processes share once [watched/counted-full]', () => {
  const objects = [
    { ...NO_OBJECTS, mappings: 2, pipes: ['pipe:[1]'] },
    { ...NO_OBJECTS, watches: 1, textBytes: 7, pipes: ['pipe:[1]', 'pipe:[2]'] },
  ];
  expect(sharedBytes([], NOTHING, 1000)).toBe(0);
  expect(sharedBytes(objects, NOTHING, 1000)).toBe(2 * 65_536);
  expect(objects.map(ownObjectBytes)).toEqual([2 * 256, 256 + 7]);
  expect(sharedBytes([], { sockets: 0, locks: 4, temporaryBytes: 5 }, 1000)).toBe(4 * 256 + 5);
});

test('a socket counts as full [watched/counted-full]', () => {
  expect(sharedBytes([], { ...NOTHING, sockets: 3 }, 1000)).toBe(3 * (2000 + 16_384));
});

test('memory that a child has from its parent counts once, and never less than the larger of the two [watched/vfork]', () => {
  const shares = [
    { id: 1, amount: 10 },
    { id: 2, amount: 30 },
    { id: 3, amount: 20 },
  ];
  expect(sumOf(shares)).toBe(60);
  expect(countedTwice(shares, new Map())).toBe(0);
  expect(countedTwice(shares, new Map([[1, 2]]))).toBe(10);
  expect(countedTwice(shares, new Map([[2, 3]]))).toBe(20);
  // It ended before it was measured.
  expect(countedTwice(shares, new Map([[2, 4]]))).toBe(0);
});

test('the largest are ended, as many as make up for what is too much [watched/ended]', () => {
  const shares = [
    { id: 1, amount: 10 },
    { id: 2, amount: 30 },
    { id: 3, amount: 20 },
  ];
  expect(largestOf(shares, 1)).toEqual([2]);
  expect(largestOf(shares, 30)).toEqual([2]);
  expect(largestOf(shares, 31)).toEqual([2, 3]);
  expect(largestOf(shares, 1000)).toEqual([2, 3, 1]);
  expect(largestOf([], 1)).toEqual([]);
});
