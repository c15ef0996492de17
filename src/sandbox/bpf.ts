/**
 * An assembler for the programs by which Linux filters system calls: classic BPF over `struct
 * seccomp_data`, as its `seccomp(2)` page describes them. It has what `seccomp-program.ts` needs.
 */

/** One instruction: `struct sock_filter`. */
export interface Instruction {
  readonly code: number;
  /** How many instructions to pass over where a condition holds, or does not. */
  readonly jumpTrue: number;
  readonly jumpFalse: number;
  readonly operand: number;
}

/** Loads 32 bits into the accumulator. */
export const LOAD_WORD = 0x20;
/** Goes on by whether the accumulator is the operand. */
export const JUMP_IF_EQUAL = 0x15;
/** Goes on by whether the accumulator is the operand or more, without a sign. */
export const JUMP_IF_GREATER_OR_EQUAL = 0x35;
/** Goes on by whether the accumulator has one of the operand's bits. */
export const JUMP_IF_ANY_BIT = 0x45;
/** Keeps of the accumulator the operand's bits. */
export const AND = 0x54;
/** Ends with the operand. */
export const RETURN = 0x06;

/** The kernel takes no more. */
const MAX_INSTRUCTIONS = 4096;
const MAX_JUMP = 255;
const INSTRUCTION_BYTES = 8;

/** Where the parts of `struct seccomp_data` are. */
export const SYSTEM_CALL_OFFSET = 0;
export const ARCHITECTURE_OFFSET = 4;

/** Where half of an argument is: the low one, or the high one that follows it on the machines we know. */
export function argumentOffset(index: number, half: 'low' | 'high'): number {
  return 16 + index * 8 + (half === 'low' ? 0 : 4);
}

export function loadWord(offset: number): Instruction {
  return { code: LOAD_WORD, jumpTrue: 0, jumpFalse: 0, operand: offset };
}

/** Keeps of the accumulator the bits of `mask`. */
export function keepBits(mask: number): Instruction {
  return { code: AND, jumpTrue: 0, jumpFalse: 0, operand: mask };
}

export function returnValue(value: number): Instruction {
  return { code: RETURN, jumpTrue: 0, jumpFalse: 0, operand: value };
}

/** Does `block` where the accumulator compares so with `operand`, and else what follows the block. */
export function when(
  code: typeof JUMP_IF_EQUAL | typeof JUMP_IF_GREATER_OR_EQUAL | typeof JUMP_IF_ANY_BIT,
  operand: number,
  block: readonly Instruction[],
): Instruction[] {
  return [{ code, jumpTrue: 0, jumpFalse: jumpOver(block), operand }, ...block];
}

/** Does `block` where the accumulator is not `operand`, and else what follows the block. */
export function unlessEqual(operand: number, block: readonly Instruction[]): Instruction[] {
  return [{ code: JUMP_IF_EQUAL, jumpTrue: jumpOver(block), jumpFalse: 0, operand }, ...block];
}

function jumpOver(block: readonly Instruction[]): number {
  if (block.length <= MAX_JUMP) return block.length;
  throw new RangeError(`No jump reaches over ${block.length} instructions.`);
}

/** The program as the kernel reads it, on a machine with the low byte first. */
export function assemble(program: readonly Instruction[]): Buffer {
  if (program.length > MAX_INSTRUCTIONS) {
    throw new RangeError(`The kernel takes no filter of ${program.length} instructions.`);
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
