import { GrantBook, type ActiveGrant } from './grant-book.ts';

/** What a policy knows of its grants. */
export let bookOf: (grants: ApprovalGrants) => GrantBook;

/**
 * The grants that approvers gave: lists and revokes them. Pass it as `policy.grants`. Several
 * executors and conversations can share one. It is kept in memory, and ends with the process.
 */
export class ApprovalGrants {
  readonly #book: GrantBook = new GrantBook();

  static {
    bookOf = (grants) => grants.#book;
  }

  /** The grants that cover calls now, the oldest first. */
  get active(): readonly ActiveGrant[] {
    return this.#book.active;
  }

  /**
   * Ends a grant at once: the next call asks again. Calls that it has covered are not undone. Returns
   * false if it has ended before or never existed.
   */
  revoke(id: string): boolean {
    return this.#book.revoke(id);
  }
}
