import type { Transport } from '@modelcontextprotocol/client';
import { inBackground } from '../../../shared/async/background.ts';

/**
 * Makes a transport end if a server sends requests and does not take the answers: they would fill the
 * memory, or by HTTP use up the sockets of this process.
 * @param limit - How many may be on their way at a time.
 */
export function limitAnswers(transport: Transport, limit: number): void {
  const send = transport.send.bind(transport);
  let waiting = 0;
  let isOver = false;
  transport.send = async (message, options) => {
    if ('method' in message) return send(message, options);
    if (waiting === limit && !isOver) {
      isOver = true;
      inBackground(transport.close());
    }
    if (isOver) throw new Error('The server does not take the answers to its requests');
    waiting += 1;
    try {
      await send(message, options);
    } finally {
      waiting -= 1;
    }
  };
}
