// Names and types that a compiler could trip over.
enum Kind {
  constructor = 1,
  toString = 'x',
  hasOwnProperty = 2,
}
namespace prototype {
  export const __proto__ = { polluted: 1 };
  export const then = 1;
}
type Deep<T, N extends number = 50> = T extends [infer H, ...infer R] ? Deep<R, N> | H : N;
type Endless = { [K in keyof Endless]: Endless };
abstract class Hidden<const T extends readonly unknown[]> {
  declare readonly private: T;
  constructor(protected readonly secret: T) {}
}
class Open extends Hidden<[1]> {}
const shown = new Open([1]) as unknown as Deep<Endless[]>;
console.log(Kind.constructor, Kind.toString, ({} as { polluted?: number }).polluted, typeof shown);
throw new Error('the real end');
