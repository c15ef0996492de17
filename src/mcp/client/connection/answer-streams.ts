import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client';

/**
 * Makes a transport fail a request when the stream of its answer ends without the answer. Otherwise
 * the client waits until its time limit.
 * @param makeError - Makes the error with which the client settles the request.
 */
export function failWithStreams(transport: Transport, makeError: () => Error): void {
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    if (!isRequest(message)) return send(message, options);
    // The client waits for the answer and not for this promise, but listens to its rejection.
    return new Promise((_resolve, reject) => {
      const onRequestStreamEnd = (): void => {
        options?.onRequestStreamEnd?.();
        // The client needs some microtasks to settle a request whose answer has come.
        setImmediate(() => reject(makeError()));
      };
      const all: TransportSendOptions = { ...options, onRequestStreamEnd };
      send(message, all).catch(reject);
    });
  };
}

function isRequest(message: JSONRPCMessage): boolean {
  return 'method' in message && 'id' in message;
}
