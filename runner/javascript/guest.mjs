/** The interpreter that runs programs. It takes one message after another and keeps the state between. */

import { restoreBuiltIns, returnChanges } from './built-ins.mjs';
import { describeFailure, withPosition } from './failures.mjs';
import { CANCEL, CONFIGURE, decode, EXECUTE, TOOL_RESULT } from './frames.mjs';
import { declare, makeConstant, provide } from './global-names.mjs';
import { exited, INTERRUPTED, NEVER_SETTLED, outcomeLine } from './outcomes.mjs';
import { Run } from './run.mjs';
import { whenSettled } from './settled.mjs';
import { Stacks } from './stacks.mjs';
import { ToolCalls, ToolError } from './tool-calls.mjs';
import { ToolNames } from './tool-names.mjs';
import { HandedBack } from './values.mjs';

export class Guest {
  #platform;
  #calls;
  #stacks = new Stacks();
  #toolNames = new ToolNames();
  #handedBack = new HandedBack();
  #run;
  // The run that has ended, and how, until that is told.
  #ended;
  #runs = 0;
  // Whether a program may have changed built-in objects since they were restored.
  #isChanged = false;
  // Whether nothing of the program can run any more.
  #isOver = false;

  /** @param {import('./platform.d.ts').Platform} platform */
  constructor(platform) {
    this.#platform = platform;
    this.#calls = new ToolCalls(platform.send, platform.awaitLine);
    provide('ToolError', ToolError);
    provide('submit', this.#handedBack.makeFunction());
  }

  /** Takes a line from the supervisor, without its newline. */
  onLine(line) {
    const { marker, body } = decode(line) ?? {};
    if (marker === EXECUTE) {
      // Of a program that has told its end in the place of this guest.
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
    this.#handedBack.configure(settings);
    for (const tool of settings.tools) {
      this.#toolNames.add(tool.identifier, this.#calls.makeFunction(tool));
    }
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

  /** Runs the program's code; what it throws, and what interrupts it, ends the run. */
  #protect(callback) {
    try {
      if (!this.#enter(callback)) this.#onInterrupt();
    } catch (error) {
      this.#offer(error);
    }
  }

  /** An error that nobody caught ends the run, but where the program itself takes such errors. */
  #offer(error) {
    let isTaken = false;
    const isDone = this.#try(() => {
      isTaken = this.#platform.offer(error);
    });
    if (isDone && !isTaken) this.fail(error);
  }

  /** Runs code of the program's about the end of its run. False where that went wrong: the run has ended so. */
  #try(callback) {
    try {
      if (this.#enter(callback)) return true;
      this.#onInterrupt();
    } catch (error) {
      this.#end(this.#failure(error));
    }
    return false;
  }

  /** Calls back into the program, as a timer does. Nothing is called of a run that has ended. */
  callback(callback, run = this.#run) {
    if (run !== undefined && run === this.#run) this.#protect(callback);
  }

  /** The run under way, for `callback`. */
  get run() {
    return this.#run;
  }

  /** Takes a rejection that nobody handles. That of a call which an earlier run made is no fault of this run's. */
  reject(reason) {
    if (!this.#calls.isOfEarlierRun(reason)) this.fail(reason);
  }

  /** Ends the run with an error that nobody caught. */
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

  /** Ends the run as `process.exit` does. */
  exit(code) {
    if (this.#tellExit(code)) this.#end(exited(code));
  }

  #onInterrupt() {
    const exitCode = this.#run?.exitCode;
    if (exitCode === undefined) this.#end(INTERRUPTED);
    else this.exit(exitCode);
  }

  /** The program wants to end with a status, and its code runs still. */
  requestExit(code) {
    if (this.#run !== undefined) this.#run.exitCode ??= code;
  }

  #start(run, typescript) {
    const { program } = run;
    if (this.#isChanged) restoreBuiltIns();
    this.#isChanged = true;
    this.#stacks.add(program);
    this.#calls.start(run.executionId);
    this.#handedBack.start(run.executionId);
    this.#platform.prepare();
    const compiled = this.#platform.compileProgram(program.code, {
      typescript,
      toolsOf: this.#toolNames.ofNamespaces,
    });
    program.originalColumn = compiled.originalColumn;
    program.columnOffset = compiled.mainColumnOffset;
    for (const name of compiled.names) declare(name, compiled.lexicalNames.has(name));
    returnChanges();
    if (compiled.functions !== '') {
      this.#evaluate(compiled.functions, program, compiled.functionsColumnOffset);
    }
    const main = this.#evaluate(compiled.main, program, compiled.mainColumnOffset);
    const fail = (error) => this.#run === run && this.fail(error);
    whenSettled(
      main(makeConstant, run.watch),
      (value) => {
        run.end(value, fail);
        this.#platform.onStatementsDone();
      },
      fail,
    );
  }

  #evaluate(text, program, columnOffset) {
    try {
      return this.#platform.evaluate(text, program.filename, columnOffset);
    } catch (error) {
      throw withPosition(error, program, columnOffset);
    }
  }

  /** Whether a run is under way whose statements, and all that they came to, are done. */
  get isDone() {
    return this.#run?.isDone === true && this.#calls.count === 0;
  }

  /** Ends the run under way: nothing is left that could go on with it. */
  onIdle() {
    const run = this.#run;
    if (run === undefined) return;
    // To enter the program's code takes Node more than a tenth of a millisecond: once for all of this, or not at all.
    this.#isOver = run.isDone && run.value === undefined && !this.#platform.isListening();
    this.#try(() => this.#finish(run));
  }

  #finish(run) {
    if (!run.isToldIdle && run.hasEnded) {
      run.isToldIdle = true;
      let isTold = false;
      if (!this.#try(() => (isTold = this.#platform.tellIdle())) || isTold) return;
    }
    // It may wait for one of those.
    if (!run.isDone && this.#calls.countOfEarlierRuns > 0) {
      this.#protect(() => this.#calls.rejectOfEarlierRuns());
      return;
    }
    if (!run.isDone) {
      this.#platform.warn(
        'Warning: the program ended while it waited for a promise that nothing was left to settle\n',
      );
    }
    if (run.hasEnded) this.#succeed(run);
    else this.exit(NEVER_SETTLED);
  }

  /** All is done; a status that the program has set may say otherwise. */
  #succeed({ value }) {
    if (!this.#tellExit(0)) return;
    const status = this.#platform.exitStatus();
    if (status !== 0) {
      this.exit(status);
      return;
    }
    this.#protect(() => {
      const shown = this.#handedBack.takeLast(value, this.#platform.inspect);
      this.#end({ success: true, value: shown });
    });
  }

  #end(outcome) {
    const run = this.#run;
    if (run === undefined) return;
    // An interrupt may come at any time: what it cuts off here is made good where the program's code is left.
    this.#ended = { run, outcome, isCleared: false };
    this.#run = undefined;
    restoreBuiltIns();
    // Of a program that had nothing left to do, nothing comes any more.
    this.#isChanged = !run.isToldIdle;
    this.#clear(run.hasEnded && outcome === INTERRUPTED);
  }

  /** Forgets the run under way, of which nobody wants to know the end. */
  #forget() {
    this.#run = undefined;
    this.#clear(false);
  }

  #clear(isStopped) {
    try {
      this.#enter(() => this.#cancelWhatIsLeft(isStopped));
    } catch {
      // A program may have patched what this needs: what it left is of a run that has ended all the same.
    }
  }

  #tellEnd() {
    if (this.#ended === undefined) return;
    const { run, outcome, isCleared } = this.#ended;
    if (!isCleared) this.#clearAgain();
    const line = this.#handedBack.line + outcomeLine(run.executionId, outcome);
    const tell = () => this.#platform.send(line);
    // What awaits a file goes on yet. A program that goes on so without end is not stopped, and ends with its sandbox.
    if (outcome === INTERRUPTED) this.#platform.afterFiles(tell);
    else tell();
    // Last. To be told twice does no harm.
    this.#ended = undefined;
  }

  /** If an interrupt cut off the first time: a process that awaits no line ends. A further interrupt may be needed. */
  #clearAgain() {
    try {
      this.#calls.end();
      this.#platform.enter(() => this.#platform.release());
    } catch {
      // As in `#clear`.
    }
  }

  #cancelWhatIsLeft(isStopped) {
    const calls = this.#calls.end();
    const left = this.#platform.release();
    if (this.#ended !== undefined) this.#ended.isCleared = true;
    if (calls > 0) left[left.length] = calls === 1 ? 'a tool call' : `${calls} tool calls`;
    if (left.length === 0 || !isStopped) return;
    this.#platform.warn(
      `Warning: the statements of the program were done, and it still waited for: ${left.join(', ')}\n`,
    );
  }
}
