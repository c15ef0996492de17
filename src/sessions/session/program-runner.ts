import type { ExecutionResult } from '../../execution/execution.ts';
import { HeldExecution } from '../../execution/held/held-execution.ts';
import type { HeldProgram } from '../../execution/held/held-program.ts';
import { KeptResults } from '../../execution/kept-results.ts';
import { ProgramExecution } from '../../execution/program-execution.ts';
import type { Language } from '../../languages/language.ts';
import type { ProgramRefusal, SessionChecker } from '../../languages/program-checker.ts';
import { unlessAborted } from '../../shared/async/abort.ts';
import { AnySignal } from '../../shared/async/any-signal.ts';
import { inBackground } from '../../shared/async/background.ts';
import { ownLoopTurn } from '../../shared/async/event-loop-work.ts';
import { createDeferred } from '../../shared/async/deferred.ts';
import type { Group } from '../../shared/async/fair-queue.ts';
import type { Labels } from '../../shared/labels.ts';
import type { SessionFiles } from '../../tools/session-files.ts';
import { remoteToolsOf } from '../../tools/remote-tool.ts';
import type { Tool } from '../../tools/tool.ts';
import { abortedBeforeStart } from '../executor-errors.ts';
import { ProgramQueue } from '../program-queue.ts';
import { refuse, withAdvice } from '../refused-result.ts';
import { withShapes } from '../result-shapes.ts';
import type { StartedSandbox } from '../supply/started-sandbox.ts';
import { tenantOf } from '../tenants/tenants.ts';
import { Interpreters } from './interpreters.ts';
import type { Program } from './program.ts';
import { closeReasonOf, type SessionCloseReason } from './session-info.ts';
import type { SessionOptions } from './session-options.ts';

/** The session of a runner. */
export interface RunnerSession {
  readonly id: string;
  readonly key: string | undefined;
  readonly labels: Labels;
  /** For the tools of its programs. */
  readonly files: SessionFiles;
  /** Whether it accepts programs. */
  readonly usable: boolean;
  /** Fires when it begins to close. */
  readonly closeSignal: AbortSignal;
  /** Set as soon as it is closing. */
  readonly closeReason: SessionCloseReason | undefined;
  /** Whether it is closing together with its sandbox. */
  readonly isEnding: boolean;
  /** @throws PtcError `CLOSED` if programs can no longer run. */
  assertOpen(): void;
  /** Restarts its idle timeout. */
  touch(): void;
  /** Ends it, and resolves when its sandbox is gone. */
  close(reason: SessionCloseReason): Promise<void>;
}

/** How a program is started. */
interface ProgramStart {
  /** Called when it begins. */
  readonly endWait: () => void;
  /** Whether its caller answers the calls of remote tools. */
  readonly held: boolean;
  /** Called with the program when it begins, unless it is refused. */
  readonly onBegin: (execution: ProgramExecution) => void;
}

/** A program whose turn in its session has come. */
interface ProgramInTurn extends Program, ProgramStart {
  readonly labels: Labels;
  readonly tenant: Group;
}

/** A program as its check and its interpreter need it. */
interface ProgramText {
  readonly language: Language;
  readonly code: string;
  /** The tools that its code can call. */
  readonly tools: readonly Tool[];
}

/** Runs the programs of one session, one after another. */
export class ProgramRunner {
  readonly #session: RunnerSession;
  readonly #connection: StartedSandbox['connection'];
  readonly #options: SessionOptions;
  readonly #queue: ProgramQueue = new ProgramQueue();
  readonly #interpreters: Interpreters;
  readonly #checker: SessionChecker | undefined;
  #programs: number;
  #toolCalls = 0;

  constructor(session: RunnerSession, sandbox: StartedSandbox, options: SessionOptions) {
    this.#session = session;
    this.#connection = sandbox.connection;
    this.#options = options;
    this.#interpreters = new Interpreters(sandbox.connection);
    this.#programs = sandbox.past?.programs ?? 0;
    this.#checker = options.checker?.follow(sandbox.past !== undefined, options.tenant);
  }

  /** Whether a program runs or waits. */
  get isBusy(): boolean {
    return this.#queue.isWorking || this.#queue.hasWaiting;
  }

  /** How many programs ran, and how many tool calls they made. */
  get counts(): { readonly programs: number; readonly toolCalls: number } {
    return { programs: this.#programs, toolCalls: this.#toolCalls };
  }

  /** Resolves when no program runs or waits. */
  async onIdle(): Promise<void> {
    await this.#queue.onIdle();
  }

  /** Runs a program without remote tools to its end. Otherwise as `start`. */
  async run(program: Program, endWait: () => void): Promise<ExecutionResult> {
    const { ended } = await this.#start(program, endWait, false);
    return ended;
  }

  /**
   * Starts a program after those that already wait. Resolves when it has begun, or was refused.
   * @param endWait - Called when it begins.
   * @throws PtcError `CLOSED` if the session closes before the program starts, `ABORTED` if the
   * caller aborts before that.
   */
  async start(program: Program, endWait: () => void): Promise<HeldProgram> {
    return this.#start(program, endWait, true);
  }

  async #start(program: Program, endWait: () => void, held: boolean): Promise<HeldExecution> {
    const begun = createDeferred<ProgramExecution | undefined>();
    const ended = this.#run(program, {
      endWait,
      held,
      onBegin: (execution) => begun.resolve(execution),
    });
    ended.then(
      () => begun.resolve(undefined),
      (error: unknown) => begun.reject(error),
    );
    return new HeldExecution(await begun.promise, ended);
  }

  async #run(program: Program, start: ProgramStart): Promise<ExecutionResult> {
    const { fairBy, quotas, use } = this.#options;
    const { labels = this.#session.labels, signal } = program;
    const tenant = tenantOf(labels, fairBy);
    const endUse = use();
    try {
      const place = quotas.place(tenant);
      const tools = program.tools.snapshot();
      return await this.#inTurn(signal, async (stop) => {
        // Thousands may wait when the session closes, and each is refused.
        if (stop.aborted) await ownLoopTurn(tenant);
        // Without a place, the caller has aborted or the session closes, and the rest throws that.
        const hasPlace = (await place?.take(stop)) ?? true;
        try {
          return await this.#runNow({ ...program, ...start, tools, labels, tenant }, stop);
        } finally {
          if (hasPlace) place?.release();
        }
      });
    } finally {
      start.endWait();
      endUse();
    }
  }

  /**
   * Does the work of a program after that of the programs that already wait.
   * @param work - Gets a signal that fires when the caller aborts or the session closes.
   * @throws PtcError `ABORTED` if the caller aborts before the work begins.
   */
  async #inTurn<Result>(
    signal: AbortSignal | undefined,
    work: (stop: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const { closeSignal } = this.#session;
    return this.#queue.add(async () => {
      if (signal === undefined) return work(closeSignal);
      using stop = new AnySignal(closeSignal, signal);
      return await work(stop.signal);
    }, signal);
  }

  /** @param stop - Fires when the caller aborts or the session closes. */
  async #runNow(program: ProgramInTurn, stop: AbortSignal): Promise<ExecutionResult> {
    const started = performance.now();
    const session = this.#session;
    const { language, tools, labels, tenant, runId, context } = program;
    const { audit, checkResults, resultShapes } = this.#options;
    const text = { language, code: language.program(program.code), tools: tools.forCaller('code') };
    const refusal = await this.#check(text, stop);
    // Its program made it busy until now, perhaps for longer than its idle timeout.
    if (stop.aborted) session.touch();
    assertWanted(program.signal);
    session.assertOpen();
    if (refusal !== undefined && this.#checker?.onlyWarns !== true) {
      session.touch();
      const refused = { sessionId: session.id, language: language.name, code: text.code };
      return refuse(refusal, refused, { started, audit, stop });
    }
    this.#interpreters.configure(language, text.tools, text.code);
    program.endWait();
    const results = resultShapes ? new KeptResults() : undefined;
    const execution = new ProgramExecution(this.#connection, {
      origin: { sessionId: session.id, sessionKey: session.key, labels, tenant, runId, context },
      endsRun: program.endsRun,
      sessionClosed: session.closeSignal,
      sessionEnds: () => session.isEnding,
      files: session.files,
      language: language.name,
      code: text.code,
      purpose: program.purpose,
      tools,
      policy: program.policy,
      audit,
      callLog: program.callLog,
      checkResults,
      held: program.held && remoteToolsOf(text.tools).length > 0,
      tellsReports: program.held,
      results,
      timeoutMs: program.timeoutMs,
      signal: stop,
      onEvent: program.onEvent,
    });
    const running = execution.run();
    program.onBegin(execution);
    const ran = await withShapes(await running, results && { ...text, results }, tenant);
    const closed = this.#ended(ran, refusal);
    // A caller that aborts does not want to wait. `SandboxExecutor.close` waits for the rest.
    if (program.signal?.aborted === true) inBackground(closed);
    else await closed;
    return withAdvice(ran, refusal);
  }

  /**
   * Why a program must not run; undefined if it may, or if the caller or the session ends first.
   */
  async #check(program: ProgramText, stop: AbortSignal): Promise<ProgramRefusal | undefined> {
    if (this.#checker === undefined || !this.#session.usable) return undefined;
    const { language, code, tools } = program;
    const interpreterVersion = async () => this.#interpreters.version(language, tools);
    const about = { language: language.name, code, tools, signal: stop };
    const checking = this.#checker.check({ ...about, interpreterVersion });
    return unlessAborted(checking, stop).catch(() => undefined);
  }

  /**
   * Counts a program that ran, and closes the session if its sandbox ended with it.
   * @param found - What its check found.
   * @returns a promise that settles when the sandbox is gone if this closes the session.
   */
  async #ended(result: ExecutionResult, found: ProgramRefusal | undefined): Promise<void> {
    const session = this.#session;
    if (!result.success && found === undefined) this.#checker?.lastFailed();
    this.#programs += 1;
    this.#toolCalls += result.toolCalls;
    session.touch();
    // The caller that closed it waits for the sandbox. The result need not.
    if (result.sessionOpen || session.closeReason !== undefined) return;
    await session.close(closeReasonOf(result.status));
  }
}

/** @throws PtcError `ABORTED` if the caller has aborted. */
function assertWanted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortedBeforeStart(signal.reason);
}
