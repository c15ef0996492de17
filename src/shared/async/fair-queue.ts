/** Who takes turns: the value of a label. All callers without the label are the group `undefined`. */
export type Group = string | undefined;

/**
 * A queue whose groups are served in turn, and the items of a group in order of arrival. It knows
 * only the groups that have items, so it does not grow with the number of groups that it ever had.
 */
export class FairQueue<Item> {
  /** Next is the first group that may be served. */
  readonly #groups: Map<Group, Set<Item>> = new Map();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The item that `take` removes if all groups can have a turn. */
  get next(): Item | undefined {
    for (const [item] of this.#groups.values()) return item;
    return undefined;
  }

  /** The groups that have items, in the order of their turns, with the number of their items. */
  get groups(): (readonly [Group, number])[] {
    return [...this.#groups].map(([group, { size }]) => [group, size]);
  }

  /** How many items a group has. */
  countOf(group: Group): number {
    return this.#groups.get(group)?.size ?? 0;
  }

  add(item: Item, group?: Group): void {
    const items = this.#groups.get(group);
    if (items === undefined) this.#groups.set(group, new Set([item]));
    else items.add(item);
    this.#size += 1;
  }

  /** Removes an item that no longer waits. Does nothing if it is not in the queue. */
  delete(item: Item, group?: Group): void {
    const items = this.#groups.get(group);
    if (items?.delete(item) !== true) return;
    this.#size -= 1;
    if (items.size === 0) this.#groups.delete(group);
  }

  /**
   * Removes and returns the next item; undefined if there is none.
   * @param mayServe - Whether a group can have a turn now. @default all can
   */
  take(mayServe: (group: Group) => boolean = () => true): Item | undefined {
    for (const [group, items] of this.#groups) {
      if (!mayServe(group)) continue;
      const [item] = items;
      // All other groups that wait have their turns before this one has another.
      this.#groups.delete(group);
      if (items.size > 1) this.#groups.set(group, items);
      if (item !== undefined) items.delete(item);
      this.#size -= 1;
      return item;
    }
    return undefined;
  }
}
