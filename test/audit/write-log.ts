// Writes entries to a log until it is killed, as fast as the log takes them. Says when the log is open, begins on
// SIGUSR2, and says when the file cannot be written; then it records more than the log's queue holds, and no more. Closes
// the log when it is told to end.
import { openAuditLog } from '../../src/audit/log.ts';

const [path = '', maxFileBytes = '10000000'] = process.argv.slice(2);
/** More than the queue of 8 MiB holds, at 300 bytes and more for each. */
const BURST = 40_000;
let recorded = 0;
let going = true;

function record(): void {
  recorded += 1;
  log.record({ type: 'session-closed', sessionId: `session-${recorded}`, reason: 'closed' });
}

/** Before the log has taken or dropped all that was recorded, it could recover without having dropped anything. */
async function sayWhenTaken(text: string): Promise<void> {
  await log.ready();
  process.stdout.write(text);
}

// The file-size limit of a process tells of itself with a signal, too.
process.on('SIGXFSZ', () => {});

const log = await openAuditLog({
  path,
  maxFileBytes: Number(maxFileBytes),
  onError: ({ message }) => {
    going = false;
    for (let count = 0; count < BURST; count++) record();
    sayWhenTaken(`failing after ${recorded}: ${message}\n`).catch((error: unknown) => {
      throw error;
    });
  },
});
const idle = setInterval(() => {}, 1000);
process.once('SIGUSR2', () => {
  const timer = setInterval(() => {
    if (!going) return;
    for (let count = 0; count < 20; count++) record();
  }, 1);
  process.once('SIGTERM', () => {
    clearInterval(timer);
    clearInterval(idle);
    log.close().catch((error: unknown) => {
      throw error;
    });
  });
});
process.stdout.write('open\n');
