/**
 * Stands for the arguments of a call until its tool runs, because their schema validates them
 * asynchronously. Rules cannot read them: they would judge other arguments than the tool gets.
 */
export class LateInput {
  readonly #value: Promise<unknown>;

  /** @param value - What the tool gets. Rejects if the arguments are not valid. */
  constructor(value: Promise<unknown>) {
    this.#value = value;
    // Nothing waits for it if the call is denied.
    value.catch(() => {});
  }

  /** What the tool gets. @throws what says that the arguments are not valid. */
  static async valueOf(input: unknown): Promise<unknown> {
    return input instanceof LateInput ? input.#value : input;
  }

  /** Whether the tool gets something. */
  static async isValid(input: unknown): Promise<boolean> {
    return LateInput.valueOf(input).then(
      () => true,
      () => false,
    );
  }
}
