import {
  argumentOffset,
  ARCHITECTURE_OFFSET,
  type Instruction,
  JUMP_IF_ANY_BIT,
  JUMP_IF_EQUAL,
  JUMP_IF_GREATER_OR_EQUAL,
  keepBits,
  loadWord,
  returnValue,
  SYSTEM_CALL_OFFSET,
  unlessEqual,
  when,
} from './bpf.ts';
import { ARM_64_NUMBERS, type SystemCallNumbers, X86_64_NUMBERS } from './system-call-numbers.ts';
import {
  ALLOWED_SYSTEM_CALLS,
  type ArgumentValue,
  CONDITIONAL_SYSTEM_CALLS,
  type ConditionalSystemCall,
  type RefusedSystemCall,
} from './system-calls.ts';

/** The kernel's reaction to a system call: `SECCOMP_RET_*`. */
const KILL_PROCESS = returnValue(0x8000_0000);
const ALLOW = returnValue(0x7fff_0000);

function failWith(errorNumber: number): Instruction {
  return returnValue(0x0005_0000 | errorNumber);
}

const EPERM = 1;
const REFUSE = failWith(EPERM);

/** System calls of programs with 32-bit pointers on x86-64 (x32) have numbers from here on. */
const X32_NUMBERS = 0x4000_0000;

interface Architecture {
  /** `AUDIT_ARCH_*`. */
  readonly id: number;
  readonly numbers: SystemCallNumbers;
}

const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: { id: 0xc000_003e, numbers: X86_64_NUMBERS },
  arm64: { id: 0xc000_00b7, numbers: ARM_64_NUMBERS },
};

/** Whether there is a filter for an architecture, in Node's names (`process.arch`). */
export function hasSeccompProgram(architecture: string): boolean {
  return ARCHITECTURES[architecture] !== undefined;
}

/**
 * Makes the filter of `system-calls.ts` in the form that the kernel takes, for bubblewrap. A system
 * call of another architecture, such as a 32-bit one, ends the process, because only an attack
 * makes one.
 * @param architecture - In Node's names (`process.arch`).
 * @param refused - System calls of the list that are refused nevertheless.
 * @throws RangeError for an architecture that `hasSeccompProgram` does not know.
 */
export function seccompProgram(
  architecture: string,
  refused: readonly RefusedSystemCall[],
): readonly Instruction[] {
  const known = ARCHITECTURES[architecture];
  if (known === undefined) {
    throw new RangeError(
      `There is no filter of system calls for the architecture ${architecture}.`,
    );
  }
  const { id, numbers } = known;
  const allowed = ALLOWED_SYSTEM_CALLS.flatMap(({ names }) => names);
  return [
    loadWord(ARCHITECTURE_OFFSET),
    ...unlessEqual(id, [KILL_PROCESS]),
    loadWord(SYSTEM_CALL_OFFSET),
    ...when(JUMP_IF_GREATER_OR_EQUAL, X32_NUMBERS, [REFUSE]),
    ...refused.flatMap((call) => rule(numbers, call.name, refuse(call))),
    ...allowed.flatMap((name) => rule(numbers, name, [ALLOW])),
    ...CONDITIONAL_SYSTEM_CALLS.flatMap((call) => rule(numbers, call.name, decide(call))),
    REFUSE,
  ];
}

/** Empty if the architecture does not have the system call. */
function rule(
  numbers: SystemCallNumbers,
  name: string,
  block: readonly Instruction[],
): readonly Instruction[] {
  const number = numbers.get(name);
  return number === undefined ? [] : when(JUMP_IF_EQUAL, number, block);
}

/** Ends with a refusal, or loads the number of the call again if the condition does not apply. */
function refuse({ failsWith = EPERM, onlyIf }: RefusedSystemCall): readonly Instruction[] {
  const failure = failWith(failsWith);
  if (onlyIf === undefined) return [failure];
  return [
    loadWord(argumentOffset(onlyIf.argument, 'low')),
    keepBits(onlyIf.mask),
    ...when(JUMP_IF_EQUAL, onlyIf.value, [failure]),
    loadWord(SYSTEM_CALL_OFFSET),
  ];
}

/** Ends with a decision about a call whose number has matched. */
function decide(call: ConditionalSystemCall): readonly Instruction[] {
  if ('failsWith' in call) return [failWith(call.failsWith)];
  if ('withoutFlags' in call) {
    return [
      loadWord(argumentOffset(0, 'low')),
      ...when(JUMP_IF_ANY_BIT, call.withoutFlags, [REFUSE]),
      ALLOW,
    ];
  }
  if ('commands' in call) {
    return [
      loadWord(argumentOffset(call.argument, 'low')),
      ...call.commands.flatMap((command) => when(JUMP_IF_EQUAL, command, [ALLOW])),
      failWith(call.otherwise),
    ];
  }
  if ('anyOf' in call) return [...call.anyOf.flatMap(allowIfAll), REFUSE];
  const comparisons = call.onlyWith.flatMap((value, index) => [
    loadWord(argumentOffset(index, 'high')),
    ...unlessEqual(0, [REFUSE]),
    loadWord(argumentOffset(index, 'low')),
    ...unlessEqual(value, [REFUSE]),
  ]);
  return [...comparisons, ALLOW];
}

/** Allows the call if all arguments have these values; otherwise goes on behind the block. */
function allowIfAll(values: readonly ArgumentValue[]): readonly Instruction[] {
  return values.reduceRight<readonly Instruction[]>(
    (block, { argument, value }) => [
      loadWord(argumentOffset(argument, 'high')),
      ...when(JUMP_IF_EQUAL, 0, [
        loadWord(argumentOffset(argument, 'low')),
        ...when(JUMP_IF_EQUAL, value, block),
      ]),
    ],
    [ALLOW],
  );
}
