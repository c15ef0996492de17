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
 * A copy of an object without the properties that are undefined. An option that is undefined was
 * not given, so it must not replace a default or the property of another object.
 */
export function given<Source extends object>(source: Source): Given<Source> {
  const entries = Object.entries(source).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Given<Source>;
}
