import type { KernelObjects } from './kernel-objects.ts';
import type { Share } from './processes.ts';

/** What a sandbox has that is in no single process. */
export interface SharedObjects {
  readonly sockets: number;
  readonly locks: number;
  /** Of its files. */
  readonly temporaryBytes: number;
}

/**
 * More than the kernel takes for a mapping (214 bytes), for what an epoll instance watches (200) or for a lock (190),
 * as measured on Linux 6.18 for x86-64.
 */
const OBJECT_BYTES = 256;

/** What fits into a pipe, which no program can enlarge here. */
const PIPE_BYTES = 65_536;

/** The socket itself with its file, and what its messages take beside their bytes. */
const SOCKET_OVERHEAD_BYTES = 16_384;

/**
 * The most that a socket holds. A message is let in while there is any room, and may itself be as large as the buffer.
 * @param bufferBytes - As `socketBufferBytes` gives it.
 */
function socketBytes(bufferBytes: number): number {
  return 2 * bufferBytes + SOCKET_OVERHEAD_BYTES;
}

/** What the kernel holds for a sandbox and not for a single process. Each socket and each pipe counts as if it were full. */
export function sharedBytes(
  objects: readonly KernelObjects[],
  { sockets, locks, temporaryBytes }: SharedObjects,
  bufferBytes: number,
): number {
  const pipes = new Set(objects.flatMap((each) => each.pipes)).size;
  const buffers = sockets * socketBytes(bufferBytes) + pipes * PIPE_BYTES;
  return buffers + locks * OBJECT_BYTES + temporaryBytes;
}

/** What processes use together. */
export function sumOf(shares: readonly Share[]): number {
  return shares.reduce((sum, { amount }) => sum + amount, 0);
}

/**
 * How much of the sum counts twice, since children use the memory of their parents.
 * @param children - By parent, as `findVforkChildren` gives them.
 */
export function countedTwice(
  shares: readonly Share[],
  children: ReadonlyMap<number, number>,
): number {
  const amounts = new Map(shares.map(({ id, amount }) => [id, amount]));
  const amountOf = (id: number): number => amounts.get(id) ?? 0;
  const both = Array.from(children, ([parent, child]) =>
    Math.min(amountOf(parent), amountOf(child)),
  );
  return both.reduce((sum, each) => sum + each, 0);
}

/** The processes to end, the largest first: as many as make up for what is too much, and one at least. */
export function largestOf(shares: readonly Share[], tooMuch: number): readonly number[] {
  const ids: number[] = [];
  let left = tooMuch;
  for (const { id, amount } of shares.toSorted((one, other) => other.amount - one.amount)) {
    if (ids.length > 0 && left <= 0) break;
    ids.push(id);
    left -= amount;
  }
  return ids;
}

/** What the kernel holds for a process alone. */
export function ownObjectBytes({ mappings, watches, textBytes }: KernelObjects): number {
  return (mappings + watches) * OBJECT_BYTES + textBytes;
}
