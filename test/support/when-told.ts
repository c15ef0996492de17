/** In a process of `startTold`: does something each time it is told to, and answers with the result or the error. */
export function whenTold(work: () => Promise<unknown>): void {
  const answer = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);
  process.on('SIGUSR2', () => void work().then(answer, answer));
  setInterval(() => undefined, 1000);
  answer('ready');
}
