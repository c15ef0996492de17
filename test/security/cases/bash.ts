import { programs, type SecurityCase } from './security-case.ts';

export const BASH: readonly SecurityCase[] = [
  {
    case: 128,
    title: 'a program in bash cannot speak for its supervisor, or for another execution',
    proofs: programs(
      'bash/128-forged-descriptors',
      'bash/128-forged-call',
      'bash/128-forged-control',
    ),
  },
  {
    case: 129,
    title: 'processes of bash are limited, and end with their session',
    proofs: programs('bash/129-fork-bomb', 'bash/129-kill-all', 'bash/129-other-name'),
  },
  {
    case: 130,
    title: 'a shell that resists its end is ended',
    proofs: programs(
      'bash/130-ignored-signals',
      'bash/130-closed-descriptors',
      'bash/130-endless-exit',
    ),
  },
  {
    case: 131,
    title: 'a shell can reach no network, and no files but its own',
    proofs: programs('bash/131-network', 'bash/131-files'),
  },
  {
    case: 132,
    title: 'everything that a shell could use without end is limited',
    proofs: programs('bash/132-limits', 'bash/132-floods', 'bash/132-environment'),
  },
];
