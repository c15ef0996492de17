import type { FuncKeywordDefinition, SchemaValidateFunction } from 'ajv';

/** `multipleOf` also for decimal fractions: ajv's own only divides, which gives 1998.9999999999998 for 19.99 and 0.01. */
export const multipleOf: FuncKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  errors: true,
  validate: validateMultiple,
};

function validateMultiple(step: number, value: number): boolean {
  if (isMultiple(value, step)) return true;
  (validateMultiple as SchemaValidateFunction).errors = [
    { keyword: 'multipleOf', params: {}, message: `must be multiple of ${step}` },
  ];
  return false;
}

function isMultiple(value: number, step: number): boolean {
  // Dividing is far faster than what follows, and right for most numbers.
  if (Number.isInteger(value / step)) return true;
  const [one, other] = [decimalOf(value), decimalOf(step)];
  const exponent = Math.min(one.exponent, other.exponent);
  const scaled = ({ digits, exponent: own }: Decimal): bigint =>
    digits * 10n ** BigInt(own - exponent);
  return scaled(one) % scaled(other) === 0n;
}

/** The decimal number that stands for a number in JSON: `digits` times ten to the power of `exponent`. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function decimalOf(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
