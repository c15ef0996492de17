/** The guest for JavaScript. It handles one message after another, and keeps the state between programs. */

import { noteLateProperties, restoreBuiltIns } from './built-ins.mjs';
import { withoutEffect } from '../compile/top-level/effects.mjs';
import { describeFailure } from './errors/failures.mjs';
import { CANCEL, CONFIGURE, decode, EXECUTE, TOOL_RESULT } from './messages/frames.mjs';
import { forgetUnreached, makeConstant, provide } from './names/global-names.mjs';
import { loadProgram } from './load-program.mjs';
import { exited, INTERRUPTED, NEVER_SETTLED, NEVER_SETTLED_WARNING } from './outcomes.mjs';
import { outcomeLine, waitedFor } from './outcomes.mjs';
import { UNHANDLED } from './process-events.mjs';
import { Run } from './run.mjs';
import { Stacks } from './errors/stacks.mjs';
import { ToolCalls, ToolError } from './messages/tool-calls.mjs';
import { ToolNames } from './names/tool-names.mjs';
import { OwnFunctions } from './messages/own-functions.mjs';

const { apply } = Reflect;

export class Guest {
  #platform;
  #calls;
  #stacks = new Stacks();
  #toolNames = new ToolNames();
  #own = new OwnFunctions();
  #run;
  // The program that has ended, and its outcome, until it is reported.
  #ended;
  #runs = 0;
  // Whether a program may have changed built-in objects since they were restored.
  #isChanged = false;
  // Whether nothing of the program can run any more.
  #isOver = false;

  /** @param {import('./platform.d.ts').Platform} platform */
  constructor(platform) {
    noteLateProperties();
    this.#platform = platform;
    this.#calls = new ToolCalls(platform, this.#stacks);
    provide('ToolError', ToolError);
    this.#own.provide(platform);
  }

  /** Handles a line from the supervisor, without its newline. */
  onLine(line) {
    const { marker, body } = decode(line) ?? {};
    if (marker === EXECUTE) {
      // The last program has forged the report of its end.
      if (this.#run !== undefined) this.#forget();
      this.#runs += 1;
      this.#isOver = false;
      this.#run = new Run(body, `<run ${this.#runs}>`);
    }
    this.#protect(() => {
      if (marker === TOOL_RESULT) this.#calls.deliver(body);
      else if (marker === EXECUTE) this.#start(this.#run, body.language === 'typescript');
      else if (marker === CANCEL) this.#cancel(body.execution_id);
      else if (marker === CONFIGURE) this.#configure(body);
    });
  }

  #configure(settings) {
    this.#calls.configure(settings);
    this.#own.configure(settings);
    this.#toolNames.configure(settings.tools, (tool) => this.#calls.makeFunction(tool));
  }

  #cancel(executionId) {
    if (executionId === this.#run?.executionId) this.#end(INTERRUPTED);
  }

  #enter(callback) {
    try {
      if (!this.#isOver) return this.#platform.enter(callback);
      callback();
      return true;
    } finally {
      this.#tellEnd();
    }
  }

  /** Runs code of the program. Errors and interrupts end the program. */
  #protect(callback) {
    try {
      if (!this.#enter(callback)) this.#onInterrupt();
    } catch (error) {
      this.#offer(error);
    }
  }

  /** An error that was not caught ends the program, unless the program handles such errors. Then this returns true. */
  #offer(error, origin, promise) {
    let isTaken = false;
    const isDone = this.#try(() => {
      isTaken = this.#platform.offer(error, origin, promise);
    });
    if (isDone && !isTaken) this.fail(error);
    return isDone && isTaken;
  }

  /** Runs code of the program about its end. False if that failed, which has then ended the program. */
  #try(callback) {
    try {
      if (this.#enter(callback)) return true;
      this.#onInterrupt();
    } catch (error) {
      this.#end(this.#failure(error));
    }
    return false;
  }

  /** Calls back into the program, as a timer does. Nothing is called for a program that has ended. */
  callback(callback, run = this.#run) {
    if (run !== undefined && run === this.#run) this.#protect(callback);
  }

  /** The current program, for `callback`. */
  get run() {
    return this.#run;
  }

  /** Handles a rejection without a handler. A rejected tool call of an earlier program does not end this one. */
  reject(reason) {
    if (!this.#calls.isOfEarlierRun(reason)) this.fail(reason);
  }

  /** Ends the program with an error that was not caught. */
  fail(error) {
    if (this.#run === undefined) return;
    if (this.#tellExit(1)) this.#end(this.#failure(error));
  }

  #failure(error) {
    const tools = { inspect: this.#platform.inspect, stacks: this.#stacks };
    const described = describeFailure(error, this.#run?.program, tools);
    return { success: false, error: described, exit_code: 1 };
  }

  #tellExit(code) {
    return this.#try(() => this.#platform.tellExit(code));
  }

  /** Ends the program as `process.exit` does. */
  exit(code) {
    if (this.#tellExit(code)) this.#end(exited(this.#platform.exitStatus()));
  }

  #onInterrupt() {
    const exitCode = this.#run?.exitCode;
    if (exitCode === undefined) this.#end(INTERRUPTED);
    else this.exit(exitCode);
  }

  /** The program wants to end with a status while its code still runs. */
  requestExit(code) {
    if (this.#run !== undefined) this.#run.exitCode = code;
  }

  #start(run, typescript) {
    const { program } = run;
    if (this.#isChanged) restoreBuiltIns();
    this.#isChanged = true;
    forgetUnreached();
    this.#stacks.add(program);
    this.#calls.start(run);
    this.#own.start(run);
    this.#platform.prepare();
    const toolsOf = this.#toolNames.ofNamespaces;
    const main = loadProgram(program, this.#platform, { typescript, toolsOf });
    run.begin(apply(main, globalThis, [makeConstant, run.watch, withoutEffect]), {
      onEnd: () => this.#platform.onStatementsDone(),
      offer: (error, promise) => this.#run === run && this.#offer(error, UNHANDLED, promise),
    });
  }

  /** Whether a program has run all statements, and everything that they started is done. */
  get isDone() {
    return this.#run?.isDone === true && this.#calls.count === 0;
  }

  /** Whether a program may wait for a call of an earlier program: it waits for none of its own. */
  get mayWaitForEarlierCall() {
    return this.#run?.isDone === false && this.#calls.count === 0 && this.#calls.hasEarlier;
  }

  /** Rejects the calls of earlier programs, for a program that may wait for one. */
  rejectEarlierCalls() {
    this.#protect(() => this.#calls.rejectEarlier());
  }

  /** Ends the current program: nothing is left that could continue it. */
  onIdle() {
    const run = this.#run;
    if (run === undefined) return;
    // Node needs more than 0.1 ms to enter the program's code, so it is entered once for all of this, or not at all.
    this.#isOver = run.isDone && run.value === undefined && !this.#platform.isListening();
    if (this.#isOver) this.#succeed(run);
    else this.#try(() => this.#finish(run));
  }

  #finish(run) {
    if (!run.isToldIdle && run.hasEnded) {
      run.isToldIdle = true;
      let isTold = false;
      if (!this.#try(() => (isTold = this.#platform.tellIdle())) || isTold) return;
    }
    if (this.mayWaitForEarlierCall) {
      this.rejectEarlierCalls();
      return;
    }
    if (!run.isDone) this.#platform.warn(NEVER_SETTLED_WARNING);
    if (run.hasEnded) this.#succeed(run);
    else this.exit(NEVER_SETTLED);
  }

  /** Everything is done, but the program may have set an exit status. */
  #succeed(run) {
    run.isToldIdle = true;
    if (!this.#tellExit(0)) return;
    const status = this.#platform.exitStatus();
    if (status !== 0) {
      this.exit(status);
      return;
    }
    this.#protect(() => {
      const shown = this.#own.handedBack.takeLast(run.value, this.#platform.inspect);
      this.#end({ success: true, value: shown });
    });
  }

  #end(outcome) {
    const run = this.#run;
    if (run === undefined) return;
    // What an interrupt cuts off here is repeated when the program's code is left.
    this.#ended = { run, outcome, calls: 0, left: [], isCleared: false };
    this.#run = undefined;
    // A program that had nothing left to do cannot continue. Its changes are undone after the report.
    this.#isChanged = !run.isToldIdle;
    if (this.#isChanged) restoreBuiltIns();
    this.#clear();
  }

  /** Forgets the current program, whose end is not reported. */
  #forget() {
    this.#run = undefined;
    this.#clear();
  }

  #clear() {
    try {
      this.#enter(() => this.#cancelWhatIsLeft());
    } catch {
      // The program may have patched built-ins that this needs. What it left belongs to an ended program anyway.
    }
  }

  #tellEnd() {
    if (this.#ended === undefined) return;
    const { run, outcome, isCleared } = this.#ended;
    if (!isCleared) this.#clearAgain();
    const line = this.#own.handedBack.line + outcomeLine(run.executionId, outcome);
    const tell = () => this.#platform.send(line);
    // If code of the program ran at its end, or it ended before it was done, what it started may go on, and even without end:
    // then it runs until its sandbox ends.
    if (this.#isOver) tell();
    else this.#platform.afterLeftWork(tell);
    // Comes after the report, because a second one does no harm.
    this.#ended = undefined;
    if (!this.#isChanged) restoreBuiltIns();
  }

  /** Repeats what interrupts cut off, until none does. Otherwise the process would end, because it awaits no line. */
  #clearAgain() {
    try {
      restoreBuiltIns();
      this.#ended.calls += this.#calls.end();
      while (!this.#ended.isCleared) this.#platform.enter(() => this.#cancelWhatIsLeft());
    } catch {
      // As in `#clear`.
    }
  }

  #cancelWhatIsLeft() {
    const ended = this.#ended ?? { calls: 0, left: [] };
    ended.calls += this.#calls.end();
    this.#platform.release(ended.left);
    const warning = ended.outcome === INTERRUPTED && ended.run.hasEnded ? waitedFor(ended) : '';
    const tell = () => {
      ended.isCleared = true;
      if (warning !== '') this.#platform.warn(warning);
    };
    // Otherwise a second interrupt could cut the warning off, or have it repeated.
    if (warning === '') tell();
    else this.#platform.uninterrupted(tell);
  }
}
