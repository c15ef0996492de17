import type { KernelObjects } from './kernel-objects.ts';
import type { Share } from '../processes.ts';

/** Counts of a sandbox that belong to no single process. */
export interface SharedObjects {
  readonly sockets: number;
  readonly locks: number;
  /** Size of the files in its temporary storage. */
  readonly temporaryBytes: number;
}

/**
 * More than the kernel needs for a mapping (214 bytes), for a file that an epoll instance watches
 * (200) or for a lock (190), as measured on Linux 6.18 for x86-64.
 */
const OBJECT_BYTES = 256;

/** The capacity of a pipe, which no program in the sandbox can enlarge. */
const PIPE_BYTES = 65_536;

/** The socket itself with its file, and the overhead of its messages. */
const SOCKET_OVERHEAD_BYTES = 16_384;

/**
 * The most that a socket can hold. The kernel accepts a message while there is any room, and the
 * message can be as large as the buffer.
 * @param bufferBytes - From `socketBufferBytes`.
 */
function socketBytes(bufferBytes: number): number {
  return 2 * bufferBytes + SOCKET_OVERHEAD_BYTES;
}

/**
 * What the kernel holds for a sandbox but not for a single process. Each socket and each pipe
 * counts as if it were full.
 */
export function sharedBytes(
  objects: readonly KernelObjects[],
  { sockets, locks, temporaryBytes }: SharedObjects,
  bufferBytes: number,
): number {
  const pipes = new Set(objects.flatMap((each) => each.pipes)).size;
  const buffers = sockets * socketBytes(bufferBytes) + pipes * PIPE_BYTES;
  return buffers + locks * OBJECT_BYTES + temporaryBytes;
}

/** The sum of all amounts. */
export function sumOf(shares: readonly Share[]): number {
  return shares.reduce((sum, { amount }) => sum + amount, 0);
}

/**
 * Returns how much of the sum counts twice, because children share the memory of their parents.
 * @param children - By parent, from `findVforkChildren`.
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

/**
 * Returns the processes to end, beginning with the largest: as many as use up `tooMuch`, but at
 * least one.
 */
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

/** What the kernel holds for one process only. */
export function ownObjectBytes({ mappings, watches, textBytes }: KernelObjects): number {
  return (mappings + watches) * OBJECT_BYTES + textBytes;
}
