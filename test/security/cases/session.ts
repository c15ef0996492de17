import { contractTests, programs, tests, type SecurityCase } from './security-case.ts';

export const SESSION: readonly SecurityCase[] = [
  {
    case: 81,
    title: 'an unknown session is an error like an expired one',
    proofs: [
      ...contractTests(
        'any-language/sessions.ts',
        'a session that somebody closed is an error that says so, and its key gets a new one',
      ),
      ...tests(
        'sessions/expiry.test.ts',
        'expires, is no longer listed, and its id is an error that says so',
      ),
      {
        gap: 'the error for an expired id says that it expired, and ids have no owner: code with the executor object has all its sessions',
      },
    ],
  },
  {
    case: 82,
    title: 'runs of a session never interleave',
    proofs: [
      ...contractTests('any-language/sessions.ts', 'programs of one session run in their order'),
    ],
  },
  {
    case: 83,
    title: 'expiry never ends a run',
    proofs: [
      ...tests(
        'sessions/expiry.test.ts',
        'is not that one in which a program runs, however long it does',
        'outlives the run that starts just before it would expire, and counts anew from its end',
        'is gone by the real clock, unless it is used',
      ),
    ],
  },
  {
    case: 84,
    title: 'a run that timed out does not affect the next one',
    proofs: [
      ...programs('session/84-late-change', 'session/84-late-words', 'session/84-unstoppable'),
      ...tests(
        'guests/python/programs/limits.ts',
        'what a program prints after its time limit is not in the output of the next program',
      ),
      {
        gap: 'by design, a session whose program stops at its interrupt keeps its state; only a session whose program does not stop is destroyed',
      },
    ],
  },
  {
    case: 85,
    title: 'an expired id never silently gets a new session',
    proofs: [
      ...tests(
        'sessions/expiry.test.ts',
        'is replaced if its key is acquired again, and the new one has none of its state',
        'is an error that says so also when its sandbox is long gone',
      ),
    ],
  },
  {
    case: 86,
    title: 'what a program patched stays in its session',
    proofs: [...programs('session/86-builtins', 'session/86-import-hooks', 'session/86-traces')],
  },
  {
    case: 87,
    title: 'endless waits are ended',
    proofs: [
      ...programs(
        'session/87-cancelled-call',
        'session/87-endless-wait',
        'session/87-foreign-loop',
        'session/87-silent-tool',
      ),
      ...tests(
        'guests/python/programs/limits.ts',
        'a timeout fires the signals of the tools that are waited for',
      ),
    ],
  },
  {
    case: 88,
    title: 'the end of an interpreter is reported',
    proofs: [
      ...programs(
        'session/88-abort',
        'session/88-closed-everything',
        'session/88-closed-streams',
        'session/88-exit',
        'session/88-kill-itself',
        'session/88-liar',
        'session/88-quiet-exit',
        'session/88-replaced',
      ),
      ...tests('guests/python/programs/ends.ts', 'a program that forks ends once'),
    ],
  },
  {
    case: 89,
    title: 'many runs leave nothing behind',
    proofs: [
      ...programs('session/89-many-runs'),
      ...tests(
        'guests/python/tools/tools.ts',
        'a hundred programs in one session print what they should',
      ),
      {
        gap: 'npm run soak, not a test, compares the host’s memory after thousands of runs with that at the start',
      },
    ],
  },
  {
    case: 90,
    title: 'a jumping wall clock changes nothing',
    proofs: [
      ...programs('session/90-clock'),
      ...tests(
        'security/wall-clock.test.ts',
        'that jumps by %d ms ends no session and no run, and gives none more time',
      ),
    ],
  },
  {
    case: 113,
    title: 'an error object that resists its description does no harm',
    proofs: programs(
      'session/113-attributes',
      'session/113-class',
      'session/113-exit-code',
      'session/113-exit-number',
      'session/113-traceback',
    ),
  },
];
