import type { ProgrammaticToolOrchestrator } from '../../orchestrator/orchestrator.ts';
import { escapeLine } from '../../shared/control-characters.ts';
import type { Colors } from '../terminal/terminal.ts';
import { formatCount, formatDuration } from '../view/format.ts';

export const HELP = `\
/reset     forget the conversation and end its session
/tools     list the tools
/session   show the session
/help      show this
/exit      leave; so do Ctrl-D, and Ctrl-C twice
Ctrl-C     stop the current run`;

/** The tools, one per line, with the first sentence of each description. */
export function describeTools({ tools }: ProgrammaticToolOrchestrator, colors: Colors): string {
  const list = tools.list().map(({ name, identifier, description, allowedCallers }) => {
    const inCode = allowedCallers.includes('code');
    const [firstSentence = ''] = escapeLine(description).split(/[.:](?:\s|$)/);
    return {
      name: escapeLine(inCode ? identifier : name),
      text: inCode ? firstSentence : `${firstSentence} (not called from code)`,
    };
  });
  const width = Math.max(...list.map(({ name }) => name.length));
  return list.map(({ name, text }) => `${colors.cyan(name.padEnd(width))}  ${text}`).join('\n');
}

/** The current state of the conversation's session. */
export async function describeSession(
  orchestrator: ProgrammaticToolOrchestrator,
  keepsSession: boolean,
): Promise<string> {
  if (!keepsSession) return 'Each question has its own session. Start with --session to keep one.';
  const session = await orchestrator.sessionInfo();
  if (session === undefined) return 'No session is open yet. The first program opens one.';
  const { id, provider, programs, toolCalls, expiresAtMs } = session;
  const left = formatDuration(Math.max(0, expiresAtMs - Date.now()));
  return `${id} on ${provider}: ${formatCount(programs)} programs, ${formatCount(toolCalls)} tool calls; expires in ${left} if it is not used`;
}
