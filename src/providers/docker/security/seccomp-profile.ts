import {
  ALLOWED_SYSTEM_CALLS,
  CONDITIONAL_SYSTEM_CALLS,
  type ConditionalSystemCall,
} from '../../../sandbox/seccomp/system-calls.ts';

/** A rule of a seccomp profile, in the engine's format. */
export interface SeccompRule {
  readonly names: readonly string[];
  readonly action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO';
  readonly errnoRet?: number;
  readonly args?: readonly {
    readonly index: number;
    readonly value: number;
    readonly valueTwo?: number;
    readonly op: 'SCMP_CMP_EQ' | 'SCMP_CMP_MASKED_EQ';
  }[];
}

/** A seccomp profile in the engine's format. */
export interface SeccompProfile {
  readonly defaultAction: 'SCMP_ACT_ERRNO';
  readonly archMap: readonly {
    readonly architecture: string;
    readonly subArchitectures: string[];
  }[];
  readonly syscalls: readonly SeccompRule[];
}

/** The profile of all sandboxes of this provider. */
export function seccompProfile(): SeccompProfile {
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    // Without 32-bit system calls: no program needs them, and their numbers are different.
    archMap: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_AARCH64'].map((architecture) => ({
      architecture,
      subArchitectures: [],
    })),
    syscalls: [
      { names: ALLOWED_SYSTEM_CALLS.flatMap((group) => group.names), action: 'SCMP_ACT_ALLOW' },
      ...CONDITIONAL_SYSTEM_CALLS.flatMap(conditionalRules),
    ],
  };
}

const LOW_HALF = 0xffff_ffff;

function conditionalRules(call: ConditionalSystemCall): SeccompRule[] {
  const names = [call.name];
  if ('failsWith' in call) return [{ names, action: 'SCMP_ACT_ERRNO', errnoRet: call.failsWith }];
  return alternatives(call).map((args) => ({ names, action: 'SCMP_ACT_ALLOW', args }));
}

/** The conditions, of which one must be true. */
function alternatives(
  call: Exclude<ConditionalSystemCall, { failsWith: number }>,
): NonNullable<SeccompRule['args']>[] {
  if ('withoutFlags' in call) {
    return [[{ index: 0, value: call.withoutFlags, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }]];
  }
  // A rule for all other commands would contradict these, so the default action refuses them.
  if ('commands' in call) {
    return call.commands.map((command) => [
      { index: call.argument, value: LOW_HALF, valueTwo: command, op: 'SCMP_CMP_MASKED_EQ' },
    ]);
  }
  if ('anyOf' in call) {
    return call.anyOf.map((values) =>
      values.map(({ argument, value }) => ({ index: argument, value, op: 'SCMP_CMP_EQ' })),
    );
  }
  return [call.onlyWith.map((value, index) => ({ index, value, op: 'SCMP_CMP_EQ' }))];
}
