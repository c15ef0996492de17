// The smallest implementation with the same structure: one process relays messages, and one runs
// programs and keeps their state. It checks, limits and cleans up nothing. Its time is the least
// that a program in Python takes with two processes.

import { timed } from './statistics.mjs';

export const LEAST_INTERPRETER = `import json, os, select
requests, to_guest = os.pipe()
answers, from_guest = os.pipe()
printed, stdout = os.pipe()
if os.fork() == 0:
    os.dup2(stdout, 1)
    import sys
    sys.stdout = open(1, "w", buffering=1)
    variables = {}
    while data := os.read(requests, 1 << 20):
        request = json.loads(data)
        exec(compile(request["code"], "<program>", "exec"), variables)
        os.write(from_guest, (json.dumps({"id": request["id"], "success": True}) + "\\n").encode())
    os._exit(0)
os.close(requests)
os.close(from_guest)
poll = select.poll()
poll.register(0, select.POLLIN)
poll.register(answers, select.POLLIN)
while True:
    for fd, _ in poll.poll():
        data = os.read(fd, 1 << 20)
        if not data:
            os._exit(0)
        if fd == 0:
            os.write(to_guest, data)
        else:
            os.write(1, os.read(printed, 1 << 16) + data)
`;

/** Runs programs in it, one after the other. */
export class LeastInterpreter {
  #write;
  #received = '';
  #answered = () => {};

  /** @param {(data: string) => void} write - Sends data to the interpreter. */
  constructor(write) {
    this.#write = write;
  }

  /** Takes bytes that it wrote. */
  receive(chunk) {
    this.#received += chunk.toString();
    if (!this.#received.endsWith('}\n')) return;
    this.#received = '';
    this.#answered();
  }

  /** The milliseconds that a small program takes. */
  async runs(count) {
    const total = await timed(async () => {
      for (let id = 0; id < count; id += 1) await this.#run(id);
    });
    return total / count;
  }

  async #run(id) {
    const answer = new Promise((resolve) => {
      this.#answered = resolve;
    });
    this.#write(`${JSON.stringify({ id, code: 'print(1)' })}\n`);
    await answer;
  }
}
