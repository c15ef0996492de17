/**
 * An assembler for the programs by which Linux filters system calls: classic BPF over `struct
 * seccomp_data`, as the manual page `seccomp(2)` describes it. It has only what
 * `seccomp-program.ts` needs.
 */

/** One instruction: `struct sock_filter`. */
export interface Instruction {
  readonly code: number;
  /** How many instructions to skip if the condition is true, or false. */
  readonly jumpTrue: number;
  readonly jumpFalse: number;
  readonly operand: number;
}

/** Loads 32 bits into the accumulator. */
export const LOAD_WORD = 0x20;
/** Jumps if the accumulator equals the operand. */
export const JUMP_IF_EQUAL = 0x15;
/** Jumps if the accumulator is greater than or equal to the operand, both unsigned. */
export const JUMP_IF_GREATER_OR_EQUAL = 0x35;
/** Jumps if the accumulator has at least one of the operand's bits. */
export const JUMP_IF_ANY_BIT = 0x45;
/** Keeps only the operand's bits in the accumulator. */
export const AND = 0x54;
/** Ends the program with the operand as its result. */
export const RETURN = 0x06;

/** The kernel accepts no longer program (`BPF_MAXINSNS`). */
const MAX_INSTRUCTIONS = 4096;
const MAX_JUMP = 255;
const INSTRUCTION_BYTES = 8;

/** Offsets of the fields of `struct seccomp_data`. */
export const SYSTEM_CALL_OFFSET = 0;
export const ARCHITECTURE_OFFSET = 4;

/**
 * Offset of one half of an argument. On little-endian machines, the high half follows the low one.
 */
export function argumentOffset(index: number, half: 'low' | 'high'): number {
  return 16 + index * 8 + (half === 'low' ? 0 : 4);
}

export function loadWord(offset: number): Instruction {
  return { code: LOAD_WORD, jumpTrue: 0, jumpFalse: 0, operand: offset };
}

/** Keeps only the bits of `mask` in the accumulator. */
export function keepBits(mask: number): Instruction {
  return { code: AND, jumpTrue: 0, jumpFalse: 0, operand: mask };
}

export function returnValue(value: number): Instruction {
  return { code: RETURN, jumpTrue: 0, jumpFalse: 0, operand: value };
}

/** Runs `block` if the comparison of the accumulator with `operand` is true; otherwise skips it. */
export function when(
  code: typeof JUMP_IF_EQUAL | typeof JUMP_IF_GREATER_OR_EQUAL | typeof JUMP_IF_ANY_BIT,
  operand: number,
  block: readonly Instruction[],
): Instruction[] {
  return [{ code, jumpTrue: 0, jumpFalse: jumpOver(block), operand }, ...block];
}

/** Runs `block` if the accumulator is not `operand`; otherwise skips it. */
export function unlessEqual(operand: number, block: readonly Instruction[]): Instruction[] {
  return [{ code: JUMP_IF_EQUAL, jumpTrue: jumpOver(block), jumpFalse: 0, operand }, ...block];
}

function jumpOver(block: readonly Instruction[]): number {
  if (block.length <= MAX_JUMP) return block.length;
  throw new RangeError(
    `A jump cannot skip ${block.length} instructions; the limit is ${MAX_JUMP}.`,
  );
}

/** Encodes the program as the kernel reads it on a little-endian machine. */
export function assemble(program: readonly Instruction[]): Buffer {
  if (program.length > MAX_INSTRUCTIONS) {
    throw new RangeError(
      `A filter of ${program.length} instructions is too long for the kernel; the limit is ${MAX_INSTRUCTIONS}.`,
    );
  }
  const bytes = Buffer.alloc(program.length * INSTRUCTION_BYTES);
  for (const [index, { code, jumpTrue, jumpFalse, operand }] of program.entries()) {
    const start = index * INSTRUCTION_BYTES;
    bytes.writeUInt16LE(code, start);
    bytes.writeUInt8(jumpTrue, start + 2);
    bytes.writeUInt8(jumpFalse, start + 3);
    bytes.writeUInt32LE(operand, start + 4);
  }
  return bytes;
}
