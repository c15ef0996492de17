import {
  AND,
  type Instruction,
  JUMP_IF_ANY_BIT,
  JUMP_IF_EQUAL,
  JUMP_IF_GREATER_OR_EQUAL,
  LOAD_WORD,
  RETURN,
} from '../../src/sandbox/seccomp/bpf.ts';

/** A system call as a filter sees it. */
export interface SystemCall {
  readonly number: number;
  readonly architecture: number;
  readonly values: readonly bigint[];
}

/** What the kernel would be told: runs a filter as the kernel does. */
export function decide(program: readonly Instruction[], call: SystemCall): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number, 0);
  data.writeUInt32LE(call.architecture, 4);
  for (const [index, value] of call.values.entries()) data.writeBigUInt64LE(value, 16 + index * 8);
  let accumulator = 0;
  for (let position = 0; ; position += 1) {
    const instruction = program[position];
    if (instruction === undefined) throw new Error('The filter ends without a decision.');
    const { code, operand, jumpTrue, jumpFalse } = instruction;
    if (code === RETURN) return operand;
    if (code === LOAD_WORD) accumulator = data.readUInt32LE(operand);
    else if (code === AND) accumulator = (accumulator & operand) >>> 0;
    else position += compares(code, accumulator, operand) ? jumpTrue : jumpFalse;
  }
}

function compares(code: number, accumulator: number, operand: number): boolean {
  if (code === JUMP_IF_EQUAL) return accumulator === operand;
  if (code === JUMP_IF_GREATER_OR_EQUAL) return accumulator >= operand;
  if (code === JUMP_IF_ANY_BIT) return (accumulator & operand) !== 0;
  throw new Error(`There is no instruction ${code}.`);
}
