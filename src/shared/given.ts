/** An object's type without `undefined` as a value of its optional properties. */
export type Given<Source extends object> = {
  readonly [Name in keyof Source as undefined extends Source[Name] ? never : Name]: Source[Name];
} & {
  readonly [Name in keyof Source as undefined extends Source[Name] ? Name : never]?: Exclude<
    Source[Name],
    undefined
  >;
};

/**
 * A copy of an object's properties without those that are undefined. In options, undefined means that nothing was given, and
 * so it must not take the place of a default or of what another object has.
 */
export function given<Source extends object>(source: Source): Given<Source> {
  const entries = Object.entries(source).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Given<Source>;
}
