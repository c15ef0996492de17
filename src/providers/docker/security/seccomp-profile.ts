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
      ...CONDITIONAL_SYSTEM_CALLS.map(conditionalRule),
    ],
  };
}

function conditionalRule(call: ConditionalSystemCall): SeccompRule {
  const names = [call.name];
  if ('failsWith' in call) return { names, action: 'SCMP_ACT_ERRNO', errnoRet: call.failsWith };
  const args =
    'withoutFlags' in call
      ? [{ index: 0, value: call.withoutFlags, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' } as const]
      : call.onlyWith.map((value, index) => ({ index, value, op: 'SCMP_CMP_EQ' }) as const);
  return { names, action: 'SCMP_ACT_ALLOW', args };
}
