import { basename } from 'node:path';
import type { ModelMessage } from '../../models/language-model.ts';
import type { ProgrammaticToolOrchestrator } from '../../orchestrator/orchestrator.ts';
import type { RunInput, RunListener, RunResult } from '../../orchestrator/events/run-events.ts';
import { escapeControls } from '../../shared/control-characters.ts';
import type { ScriptedQuestion } from '../demo/questions.ts';
import { isAborted, reportFailure } from '../failure.ts';
import type { Interruption } from '../interruption.ts';
import type { Produced } from '../produced/produced.ts';
import { LineReader } from '../terminal/line-reader.ts';
import { colorsFor, type Colors } from '../terminal/terminal.ts';
import { followRun } from '../view/follow-run.ts';
import { formatCount, formatDuration, wrap } from '../view/format.ts';
import type { RunView } from '../view/run-view.ts';
import { describeSession, describeTools, HELP } from './commands.ts';

export interface ConversationOptions {
  /** Ends the conversation, and its run. */
  readonly interruption: Interruption;
  readonly orchestrator: ProgrammaticToolOrchestrator;
  readonly view: RunView;
  /** Takes what programs produce. */
  readonly produced: Produced;
  /** The questions that a script can answer; undefined if a model answers. */
  readonly scripted: readonly ScriptedQuestion[] | undefined;
  /** Whether messages and variables are kept from question to question. */
  readonly keepsSession: boolean;
  /** The paths of files that programs get with the first question. @default none */
  readonly files?: readonly string[];
  /** Suggests to the user of a real model what to ask. */
  readonly invitation: string;
  /**
   * Gets what reads the lines, to ask the user while a question is answered. @default nobody asks
   */
  readonly onReader?: (reader: LineReader) => void;
}

/** Reads questions from standard input and answers them, until the input ends. */
export class Conversation {
  readonly #options: ConversationOptions;
  readonly #colors: Colors = colorsFor(process.stdout);
  /** Set by Ctrl-C at an empty prompt. The next Ctrl-C exits. */
  #leaving = false;
  /** The exit status of the last question that failed. */
  #failure = 0;
  /** Whether the conversation has the files. */
  #hasFiles = false;

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  /**
   * Returns the exit status. A question that fails does not end the conversation. It counts as a
   * failure if the questions do not come from a terminal, and so does what could not be saved.
   */
  async hold(): Promise<number> {
    this.#introduce();
    const { interruption } = this.#options;
    using reader = new LineReader({
      input: process.stdin,
      output: process.stdout,
      prompt: this.#colors.bold('> '),
      onInterrupt: (hadText) => this.#onInterrupt(hadText, reader),
    });
    this.#options.onReader?.(reader);
    const close = (): void => reader.close();
    interruption.signal.addEventListener('abort', close);
    if (interruption.signal.aborted) close();
    for (;;) {
      const line = (await reader.read())?.trim();
      if (line === undefined || interruption.exitStatus !== undefined) break;
      this.#leaving = false;
      if (line === '/exit') return this.#exitStatus();
      // Several lines are pasted text, which may begin with a path.
      if (line.startsWith('/') && !line.includes('\n')) await this.#command(line);
      else if (line !== '') await this.#ask(this.#questionOf(line), reader);
    }
    if (process.stdin.isTTY) write('\n');
    return interruption.exitStatus ?? this.#exitStatus();
  }

  #exitStatus(): number {
    // A person at the terminal has seen what failed.
    if (process.stdin.isTTY) return 0;
    return this.#options.produced.isIncomplete ? this.#failure || 1 : this.#failure;
  }

  #introduce(): void {
    const { dim, yellow } = this.#colors;
    const { scripted } = this.#options;
    if (scripted !== undefined) {
      const columns = process.stdout.columns || 80;
      write(
        `${yellow('The script knows these questions; type a number or the whole question:')}\n`,
      );
      for (const [index, { question }] of scripted.entries()) {
        write(`  ${index + 1}. ${wrap(question, columns, 5)}\n`);
      }
    } else {
      write(`${this.#options.invitation}\n`);
    }
    const state = this.#options.keepsSession
      ? 'Questions share one session, with its variables.'
      : 'Each question starts a new session.';
    write(`${dim(`${state} /help lists the commands.`)}\n`);
  }

  #onInterrupt(hadText: boolean, reader: LineReader): void {
    if (hadText) return;
    if (this.#leaving) {
      reader.close();
      return;
    }
    this.#leaving = true;
    write(`${this.#colors.dim('Press Ctrl-C again, or Ctrl-D, to exit.')}\n`);
  }

  /** A number stands for a question that the script knows. */
  #questionOf(line: string): string {
    const known = this.#options.scripted?.[Number(line) - 1]?.question;
    if (known === undefined) return line;
    write(`${this.#colors.dim(known)}\n`);
    return known;
  }

  async #command(line: string): Promise<void> {
    const { orchestrator, keepsSession } = this.#options;
    switch (line) {
      case '/help':
        write(`${HELP}\n`);
        break;
      case '/tools':
        write(`${describeTools(orchestrator, this.#colors)}\n`);
        break;
      case '/session':
        write(`${await describeSession(orchestrator, keepsSession)}\n`);
        break;
      case '/reset':
        await this.#reset();
        write('The conversation was deleted.\n');
        break;
      default:
        write(`Unknown command: ${escapeControls(line)}. /help lists the commands.\n`);
    }
  }

  async #ask(question: string, reader: LineReader): Promise<void> {
    const { orchestrator, view, produced, interruption, keepsSession } = this.#options;
    const follow = followRun(view, produced);
    let before: readonly ModelMessage[] | undefined;
    const onEvent: RunListener = (event) => {
      if (event.type === 'turn-started') before ??= orchestrator.messages;
      return follow(event);
    };
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, interruption.signal]);
    write('\n');
    try {
      const result = await reader.interruptWith(
        () => stop.abort(),
        () => orchestrator.run(this.#inputOf(question), { signal, onEvent }),
      );
      write(`${this.#colors.dim(figures(result))}\n`);
    } catch (error) {
      view.end();
      if (signal.aborted && isAborted(error)) write(`${this.#colors.yellow('Stopped.')}\n`);
      else this.#failure = reportFailure(error);
    }
    // A run that fails keeps its question with the files, unless the model refused it.
    this.#hasFiles ||= before !== undefined && orchestrator.messages !== before;
    if (!keepsSession) await this.#reset();
  }

  #inputOf(question: string): RunInput {
    const { files = [] } = this.#options;
    if (this.#hasFiles || files.length === 0) return question;
    return [
      ...files.map((path) => ({ type: 'file', name: basename(path), path }) as const),
      { type: 'text', text: question },
    ];
  }

  async #reset(): Promise<void> {
    this.#hasFiles = false;
    await this.#options.orchestrator.resetConversation();
  }
}

/** The figures of a run, in one line. */
function figures({ savings, toolCalls, durationMs }: RunResult): string {
  return [
    `${formatCount(toolCalls)} tool calls`,
    `${formatCount(savings.contextTokens)} tokens of code and output`,
    `${formatCount(savings.directTokens)} by direct calls`,
    formatDuration(durationMs),
  ].join(' · ');
}

function write(text: string): void {
  process.stdout.write(text);
}
