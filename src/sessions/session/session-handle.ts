import type { ExecutionResult } from '../../execution/execution.ts';
import type { HeldProgram } from '../../execution/held/held-program.ts';
import { SandboxFiles } from '../../execution/files/sandbox-files.ts';
import { PtcError } from '../../shared/errors.ts';
import type { ToolSet } from '../../tools/registry/tool-set.ts';
import { assertAnswered } from '../../tools/remote-tool.ts';
import { checkProgramNames } from '../options/option-names.ts';
import type { SessionExecuteOptions } from '../options/executor-options.ts';
import type { Session } from '../executor.ts';
import { explainStart } from '../executor-errors.ts';
import type { SessionManager } from '../session-manager.ts';
import type { ProgramQuotas } from '../tenants/program-quotas.ts';
import { prepareProgram, type Program, type ProgramDefaults } from './program.ts';
import type { ProgramRunner } from './program-runner.ts';
import type { SandboxSession } from './sandbox-session.ts';
import type { SessionCloseReason, SessionInfo } from './session-info.ts';
import type { SessionUse } from './session-use.ts';
import type { SharedSession } from './shared-session.ts';

/** What a handle needs of its executor. */
export interface SessionHandleParts {
  readonly sessions: Pick<SessionManager, 'get'>;
  readonly defaults: ProgramDefaults;
  readonly quotas: ProgramQuotas;
  /** The tools of programs that name none. */
  readonly tools: ToolSet;
  /** Fires when the executor closes. */
  readonly closing: AbortSignal;
}

/** The `Session` of one user: a use of a session that several may share. */
export class SessionHandle implements Session {
  readonly id: string;
  readonly key: string | undefined;
  readonly acquired: SessionInfo;
  readonly files: SandboxFiles;
  readonly #use: SessionUse;
  readonly #shared: SharedSession;
  readonly #parts: SessionHandleParts;
  readonly #start: number;
  #released = false;

  constructor(use: SessionUse, parts: SessionHandleParts) {
    const { shared, session } = use;
    this.id = shared.id;
    this.key = shared.key;
    this.acquired = session.info();
    // A call that has begun goes on after a release, as a program does.
    this.files = new SandboxFiles(async () => (await this.#session()).fileSandbox);
    this.#use = use;
    this.#shared = shared;
    this.#parts = parts;
    this.#start = shared.starts;
  }

  get isNew(): boolean {
    return this.acquired.programs === 0;
  }

  get stateId(): string {
    return (this.#shared.session ?? this.#use.session).stateId;
  }

  get closing(): Promise<SessionCloseReason> {
    return (this.#shared.session ?? this.#use.session).closing;
  }

  async execute(code: string, options: SessionExecuteOptions = {}): Promise<ExecutionResult> {
    checkProgramNames('Session.execute', code, options);
    const { programs, program, endWait } = await this.#prepare(code, options, assertAnswered);
    return programs.run(program, endWait);
  }

  async start(code: string, options: SessionExecuteOptions = {}): Promise<HeldProgram> {
    checkProgramNames('Session.start', code, options);
    const { programs, program, endWait } = await this.#prepare(code, options);
    return programs.start(program, endWait);
  }

  /**
   * A program that counts as waiting until `endWait`.
   * @param check - Checks its tools before it counts.
   */
  async #prepare(
    code: string,
    options: SessionExecuteOptions,
    check: (tools: ToolSet) => void = () => {},
  ): Promise<{
    readonly programs: ProgramRunner;
    readonly program: Program;
    readonly endWait: () => void;
  }> {
    const { defaults, quotas, tools } = this.#parts;
    const session = await this.#session();
    const program = prepareProgram(code, options, defaults, tools);
    check(program.tools);
    const { labels = session.labels, signal } = program;
    const request = { labels, sessionId: session.id, signal };
    const endWait = await quotas.count(request, true);
    return { programs: session.programs, program, endWait };
  }

  async info(): Promise<SessionInfo> {
    const session = await this.#session();
    return session.measuredInfo();
  }

  async release(): Promise<void> {
    if (this.#released) return;
    this.#released = true;
    await this.#use.release();
  }

  async reset(): Promise<void> {
    // If no reset is in progress, it begins now, so that a program that comes next waits for it.
    if (this.#shared.resetting === undefined) this.#current();
    else await this.#session();
    const { closing } = this.#parts;
    try {
      // If it was ended instead, there is none.
      if (!(await this.#shared.reset(closing))) this.#current();
    } catch (error) {
      throw explainStart(error, closing, undefined);
    }
  }

  async destroy(): Promise<void> {
    this.#checkUse();
    this.#released = true;
    const destroyed = this.#shared.destroy();
    // Only now, so that the session is not handed over instead.
    this.#use.end();
    await destroyed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  async #session(): Promise<SandboxSession> {
    this.#checkUse();
    if (this.#shared.resetting !== undefined) await this.#shared.resetting;
    return this.#current();
  }

  #current(): SandboxSession {
    this.#checkUse();
    const session = this.#parts.sessions.get(this.id);
    if (session === this.#shared.session && this.#shared.starts === this.#start) return session;
    const message = `The sandbox of ${this.#name()} was replaced, so its variables are gone. Acquire ${this.#again()}.`;
    throw new PtcError('SESSION_NOT_FOUND', message, { details: { sessionId: this.id } });
  }

  #checkUse(): void {
    if (!this.#released) return;
    const message = `This use of ${this.#name()} has ended: it was released or destroyed. Acquire ${this.#again()}.`;
    const details = { sessionId: this.id, ...(this.key !== undefined && { key: this.key }) };
    throw new PtcError('CLOSED', message, { details });
  }

  #name(): string {
    return this.key === undefined ? `session ${this.id}` : `key ${JSON.stringify(this.key)}`;
  }

  #again(): string {
    return this.key === undefined ? 'a new session' : 'the key again';
  }
}
