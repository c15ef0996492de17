import type { ModelMessage } from '../../models/language-model.ts';
import { isStoppedLaterText } from '../call-record.ts';
import { EXECUTE_CODE } from '../code/code-tool-definition.ts';
import { runningProgramOf } from './describe-yielded.ts';

/**
 * Whether the model was told of a program that still runs, and has read neither its end nor that it
 * was stopped.
 */
export function expectsProgram(messages: readonly ModelMessage[]): boolean {
  /** The programs that calls of the model are about, by the ids of the calls. */
  const programs = new Map<string, unknown>();
  let running: string | undefined;
  for (const { content } of messages) {
    for (const block of content) {
      if (block.type === 'tool-use' && block.name === EXECUTE_CODE) {
        programs.set(block.id, block.input?.['program']);
      } else if (block.type === 'text' && isStoppedLaterText(block.text)) running = undefined;
      else if (block.type === 'tool-result' && programs.has(block.toolUseId)) {
        const named = runningProgramOf(block.text);
        if (named !== undefined || programs.get(block.toolUseId) === running) running = named;
      }
    }
  }
  return running !== undefined;
}
