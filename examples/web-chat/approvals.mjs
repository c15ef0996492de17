// @ts-check
// Approvals that arrive with their own requests. The program waits in its sandbox meanwhile.
import { ApprovalQueue } from 'sandboxed-ptc';

export class Approvals {
  /** The queue that the policy asks. */
  queue = new ApprovalQueue({
    onRequest: ({ id, labels }) => this.#insert.run(id, labels['user'], labels['conversation']),
  });
  #insert;
  #select;

  /** @param {import('sandboxed-ptc').SqliteDatabase} database */
  constructor(database) {
    // Kept after the decision, so that a second click is distinguished from a stranger's.
    this.#insert = database.prepare('INSERT INTO approvals VALUES (?, ?, ?)');
    this.#select = database.prepare('SELECT id FROM approvals WHERE id = ? AND user = ?');
  }

  /**
   * The approvals for which a conversation waits, for a page that was just opened.
   * @param {string} conversation
   */
  pending(conversation) {
    return this.queue.pending
      .filter(({ labels }) => labels['conversation'] === conversation)
      .map(({ id, toolName, arguments: input, reason, expiresAtMs }) => {
        return { requestId: id, toolName, arguments: input, reason, expiresAtMs };
      });
  }

  /**
   * @param {string} id
   * @param {string} user
   * @param {boolean} approved
   * @returns {'decided' | 'too late' | 'unknown'}
   */
  decide(id, user, approved) {
    if (this.#select.all(id, user).length === 0) return 'unknown';
    const counted = approved
      ? this.queue.approve(id)
      : this.queue.reject(id, { reason: 'the user said no' });
    return counted ? 'decided' : 'too late';
  }
}
