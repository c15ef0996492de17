/**
 * The main thread of the embedded sandbox, between the host and the guests, which are workers.
 *
 * Only the supervisor writes the real streams, and it runs no program. So outcomes and the names of
 * streams are reliable, and it can stop a runaway guest and report its end.
 */

import {
  CANCEL,
  CONFIGURE,
  CONFIGURED,
  decodeBody,
  encode,
  EXECUTE,
  EXIT,
  EXTEND,
  FILE_ANSWER,
  FILE_CANCEL,
  FILE_REQUEST,
  frameIn,
  isFrame,
  OF_CALLS,
  OUTCOME,
  PROTOCOL_VERSION,
  READY,
  VALUE,
  WITH_OUTPUT,
} from './frames.mjs';
import { FileRequests } from './file-requests.mjs';
import {
  FILES_END,
  Guest,
  MEMORY_END,
  RAN_ON_END,
  UNSTOPPED_END,
  VIOLATION_END,
} from './guest.mjs';
import { HostInput } from './host-input.mjs';
import { IdleWatch } from './idle-watch.mjs';
import { loadPython } from './load-python.mjs';
import { MemoryWatch } from './memory-watch.mjs';
import { OutputRelay } from './output-relay.mjs';
import { checkReport, MAX_REPORT_BYTES, readReport } from './report.mjs';
import { StopTimer } from './stop-timer.mjs';

class Supervisor {
  /** By language. Languages of one interpreter share its guest. */
  #guests = new Map();
  /** The guest of the current or last program. */
  #guest;
  #unready = new Set();
  /** The versions of the guests' interpreters. */
  #versions = new Map();
  #memoryWatch;
  #files;
  #idleWatch = new IdleWatch(() => this.#onGuestEnd(RAN_ON_END));
  #relays = [
    new OutputRelay('stdout', (frame) => writeAll(Deno.stdout, frame)),
    new OutputRelay('stderr', (frame) => writeAll(Deno.stdout, frame)),
  ];
  #ready = false;
  #executionId = null;
  /**
   * The guest's report of the program's end, until it is known that nothing of the program runs any
   * more.
   */
  #report;
  /** Settles when a program that has reported its end has ended. */
  #ending;
  /** The line with the program's value, which goes to the host right before the outcome. */
  #value;
  #stopTimer = new StopTimer(
    () => this.#files.areAtWork,
    (isAtWork) => (isAtWork ? this.#onFilesStuck() : this.#onGuestEnd(UNSTOPPED_END)),
  );
  #outputLimit = 1 << 20;
  #callLimit = 0;
  #cancelGraceMs = 1000;
  #cancelLimitMs = 5000;

  constructor(boot) {
    for (const { languages, script } of boot.guests) {
      const guest = new Guest(script, {
        log: (text) => this.#log(text),
        ready: (version) => this.#onReady(guest, languages[0], version),
        line: (line) => this.#onGuestLine(guest, line),
        output: () => this.#relayOutput(),
        snapshot: (snapshot) => boot.task === 'snapshot' && finish(snapshot),
        end: (end) => this.#onGuestEnd(end),
        fail,
      });
      for (const language of languages) this.#guests.set(language, guest);
      this.#unready.add(guest);
      this.#guest ??= guest;
    }
    this.#files = new FileRequests(this.#guests.get('python'), {
      tell: (line) => writeAll(Deno.stdout, line),
      isIdle: () => this.#executionId === null,
      change: () => this.#onFiles(),
      stuck: () => this.#onFilesStuck(),
      ending: async () => this.#ending,
      fail,
    });
    this.#memoryWatch = new MemoryWatch(boot.memory_bytes + boot.temporary_storage_bytes, () =>
      this.#onGuestEnd(MEMORY_END),
    );
  }

  async load(input, boot) {
    const python = this.#guests.get('python');
    if (python !== undefined) await loadPython(python, input, boot);
  }

  onHostLine(line) {
    if (isFrame(line, CONFIGURE)) return this.#configure(decodeBody(line, CONFIGURE), line);
    if (isFrame(frameIn(line), FILE_REQUEST)) return this.#files.request(line);
    if (isFrame(line, FILE_CANCEL)) return this.#files.cancel(line);
    if (isFrame(line, EXECUTE)) this.#begin(decodeBody(line, EXECUTE));
    else if (isFrame(line, CANCEL)) this.#cancel(decodeBody(line, CANCEL).execution_id);
    else if (isFrame(line, EXIT)) Deno.exit(0);
    // Only the host checks a program's time, because no program outlives its host here.
    else if (isFrame(line, EXTEND)) return;
    this.#guest.send(line);
  }

  #onFiles() {
    this.#watchIdle();
    this.#stopTimer.onFiles();
  }

  /** Watches the processor, unless the guest may use it: for a program, or for files. */
  #watchIdle() {
    if (this.#files.areWaiting || this.#executionId !== null) this.#idleWatch.stop();
    else this.#idleWatch.start();
  }

  /**
   * Helps to find out why the sandbox does not start. Once it is ready, only frames may be written.
   */
  #log(text) {
    if (!this.#ready) writeAll(Deno.stderr, new TextEncoder().encode(`${text}\n`));
  }

  #configure(settings, line) {
    this.#outputLimit = settings.output_limit_bytes;
    this.#callLimit = settings.call_limit_bytes;
    this.#cancelGraceMs = settings.cancel_grace_ms;
    this.#cancelLimitMs = settings.cancel_limit_ms;
    const guest = this.#guests.get(settings.language);
    guest.maxLineBytes = Math.max(this.#callLimit, MAX_REPORT_BYTES);
    guest.send(line);
    const { language } = settings;
    const version = this.#versions.get(guest) ?? null;
    writeAll(Deno.stdout, encode(CONFIGURED, { language, version }));
  }

  #begin({ execution_id, language }) {
    this.#relayOutput();
    this.#guest = this.#guests.get(language);
    this.#executionId = execution_id;
    for (const relay of this.#relays) relay.start(execution_id, this.#outputLimit);
    this.#watchIdle();
    this.#memoryWatch.onRun();
  }

  #cancel(executionId) {
    if (executionId !== this.#executionId || this.#stopTimer.isStarted) return;
    this.#guest.interrupt();
    this.#stopTimer.start(this.#cancelGraceMs, this.#cancelLimitMs);
  }

  // From the guest. A program can forge each of these messages.

  #onReady(guest, language, version) {
    this.#unready.delete(guest);
    this.#versions.set(guest, version);
    if (this.#ready || this.#unready.size > 0) return;
    this.#ready = true;
    this.#memoryWatch.setBase();
    this.#idleWatch.start();
    writeAll(Deno.stdout, encode(READY, { protocol: PROTOCOL_VERSION, language, version }));
  }

  #onGuestLine(guest, line) {
    const isOneOf = (markers) => markers.some((marker) => isFrame(line, marker));
    // The code of a guest sends no longer call, for which the host would end the session.
    if (isOneOf(OF_CALLS) && line.length <= this.#callLimit) {
      writeAll(Deno.stderr, line);
      return;
    }
    if (isFrame(frameIn(line), FILE_ANSWER)) return this.#files.answer(line);
    if (isOneOf(WITH_OUTPUT) && line.length <= this.#callLimit) {
      // With output and outcome on one stream, in the order in which the program made them.
      this.#relayOutput();
      writeAll(Deno.stdout, line);
      return;
    }
    if (isFrame(line, VALUE) && line.length <= this.#callLimit) {
      if (guest === this.#guest && this.#executionId !== null) this.#value = line;
      return;
    }
    const body = readReport(line);
    // A report of a program that is over or never was.
    const isStale = guest !== this.#guest || body?.execution_id !== this.#executionId;
    if (body !== undefined && isStale) return;
    const report = body && checkReport(body);
    if (report === undefined) this.#onGuestEnd(VIOLATION_END);
    else this.#ending = this.#settle(report).catch(fail);
  }

  /**
   * Ends the program as its report says, once the guest waits for its next message. If a program
   * wrote the report itself and continues, it has not ended: its real end, a later report or its
   * time limit decides.
   */
  async #settle(report) {
    this.#report = report;
    this.#guest.dropResults();
    await this.#guest.untilWaiting();
    if (this.#report === report) this.#end(report, null);
  }

  /** Passes on the program's output. Output between programs is dropped. */
  #relayOutput() {
    for (const guest of this.#guests.values()) {
      if (!guest.hasOutput) continue;
      const isCurrent = guest === this.#guest && this.#executionId !== null;
      for (const [index, bytes] of guest.takeOutput().entries()) {
        if (isCurrent && bytes.length > 0) this.#relays[index].push(bytes);
      }
    }
  }

  #end(report, interpreterEnd) {
    this.#relayOutput();
    for (const relay of this.#relays) relay.finish();
    const executionId = this.#executionId;
    this.#executionId = null;
    this.#report = undefined;
    this.#stopTimer.stop();
    this.#memoryWatch.onIdle();
    this.#watchIdle();
    if (this.#value !== undefined) writeAll(Deno.stdout, this.#value);
    this.#value = undefined;
    writeAll(
      Deno.stdout,
      encode(OUTCOME, {
        execution_id: executionId,
        ...report,
        interpreter_end: interpreterEnd,
      }),
    );
  }

  #onFilesStuck() {
    this.#files.end(FILES_END.message);
    this.#onGuestEnd(FILES_END);
  }

  #onGuestEnd({ reason, status, message }) {
    if (this.#executionId === null) {
      this.#log(message);
    } else {
      const error = { type: 'InterpreterEnded', message, line: null };
      error.traceback = `${error.type}: ${message}`;
      const report = { success: false, value: null, error, exit_code: 1, outputs: null };
      this.#end(report, { reason, status });
    }
    Deno.exit(0);
  }
}

function writeAll(stream, bytes) {
  for (let start = 0; start < bytes.length;) start += stream.writeSync(bytes.subarray(start));
}

/** Writes the new snapshot to the host, which is the only task of a process for a snapshot. */
function finish(snapshot) {
  writeAll(Deno.stdout, snapshot);
  Deno.exit(0);
}

/** A fault of the supervisor itself ends the sandbox. */
function fail(error) {
  console.error(error);
  Deno.exit(0);
}

try {
  const input = new HostInput();
  const boot = JSON.parse(new TextDecoder().decode(input.readLine()));
  const supervisor = new Supervisor(boot);
  await supervisor.load(input, boot);
  await input.forEachLine((line) => supervisor.onHostLine(line));
} catch (error) {
  fail(error);
}
Deno.exit(0);
