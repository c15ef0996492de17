/**
 * What the function of a tool throws if its caller is to get a `ToolError` of another type than
 * `Failed`.
 */
export class ToolCallFailure extends Error {
  override readonly name = 'ToolCallFailure';
  /** The type of the `ToolError`. */
  readonly type: 'Failed' | 'InvalidResult' | 'Unavailable' | 'Changed';

  constructor(type: ToolCallFailure['type'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.type = type;
  }
}
