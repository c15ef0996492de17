import { tests } from '../cases/security-case.ts';
import { shown, type SecurityPromise } from './security-promise.ts';

export const AUDIT_AND_NAMES: readonly SecurityPromise[] = [
  shown('A local socket holds the key of a session', [
    ...tests(
      'shared/held-name.system.test.ts',
      'is refused to a second holder until the first lets go',
      'is never held by two of several processes that take it in turns, some of which are killed',
    ),
    ...tests(
      'sessions/acquire.system.test.ts',
      'is refused while someone there uses it, unless one waits until it is free',
    ),
    ...tests('audit/audit-failures.system.test.ts', 'is refused as long as that process lives'),
    ...tests(
      'providers/docker/owner.test.ts',
      'an owner counts as alive from its first label until its release',
    ),
  ]),
  shown('The sockets are in a directory of mode 0700', [
    ...tests(
      'shared/name-directory.system.test.ts',
      'is one that only this user can enter',
      'is not taken if others can enter it, and says so',
      'is not taken if another user made it first',
    ),
  ]),
  shown('Another user of the machine can neither take nor reach', [
    ...tests('sessions/acquire.system.test.ts', 'cannot be taken or reached by another user'),
  ]),
  shown('If the directory can only be in `/tmp`', [
    ...tests('shared/name-directory.system.test.ts', 'is not taken if another user made it first'),
  ]),
  shown('has a line for each session, program, tool call', [
    ...tests(
      'audit/audit-executor.system.test.ts',
      'has a line for the session, the run and each call, and their ends',
      'has what the policy denied, and what people were asked and decided',
    ),
    ...tests(
      'audit/audit-chain.test.ts',
      'is found right for whatever was recorded, with and without a key',
    ),
  ]),
  shown('While the file can be written, no line is lost', [
    ...tests(
      'execution/audit-room.system.test.ts',
      'a tool does not run, and no call is answered, while the audit log is full',
      'each call of a flood has a line in the audit log',
    ),
    ...tests(
      'audit/audit-full.system.test.ts',
      'keeps every entry, in order, and says when it has room again',
    ),
  ]),
  shown('While the file cannot be written', [
    ...tests('audit/audit-device.system.test.ts', 'never has a run fail, though its disk is full'),
    ...tests(
      'audit/audit-failures.system.test.ts',
      'goes on by itself where it stopped once there is room, and counts what was dropped',
    ),
  ]),
  shown('A verification finds lines that were changed', [
    ...tests(
      'audit/audit-chain.test.ts',
      'shows each byte that was changed, at its line',
      'shows lines that were removed before its end',
      'shows lines that were swapped',
      'shows lines that were put in: copies, lines of another log, and text',
    ),
  ]),
  shown('With a key, a verification also finds a chain', [
    ...tests('audit/audit-chain.test.ts', 'cannot be made again without the key'),
  ]),
  shown('an attacker can remove its newest lines', [
    ...tests('audit/audit-chain.test.ts', 'tells of a missing end that the log is not closed'),
  ]),
];
