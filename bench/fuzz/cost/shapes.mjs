// Inputs of any size, described by what repeats in them.
//
// A shape is JSON, so that a process can report which input it tries:
//   { value }                  this value
//   { before, pump, after }    text: `pump` n times between the two; with `counted`, `#` in it is the count
//   { join: [text, ...] }      texts one after the other
//   { list: shape }            a list of n of them
//   { map: shape, key }        an object with n keys that start with `key`
//   { entry: shape, key }      an object with one key, which is a text shape
//   { object: [[key, shape]] } an object with these keys
//   { array: [shape, ...] }    a list of these
//   { deep: shape, by }        n lists or objects (with the key `by`) around it, at most 50
//   { counter }                a value that differs in each place of a list: 'number', 'text' or 'object'

/** Frames with more levels are refused before they are parsed. */
const MOST_LEVELS = 50;
/** So are calls with more values. */
const MOST_VALUES = 19_990;
/** About how many characters a counter and the number in a key have. */
const DIGITS = 5;

/** The JavaScript value, or the text, that a shape describes. */
export function render(shape, n, index = 0) {
  if ('value' in shape) return shape.value;
  if ('pump' in shape) return renderText(shape, n);
  if ('join' in shape) return shape.join.map((part) => String(render(part, n))).join('');
  if ('list' in shape) return Array.from({ length: n }, (_, place) => render(shape.list, n, place));
  if ('array' in shape) return shape.array.map((part) => render(part, n, index));
  if ('deep' in shape) return renderDeep(shape, n);
  if ('counter' in shape) return renderCounter(shape.counter, index);
  const result = Object.create(null);
  for (const [key, member] of membersOf(shape, n)) result[key] = render(member, n);
  return result;
}

/** About how many bytes it has as JSON text. */
export function bytesOf(shape, n) {
  if ('value' in shape) return jsonBytes(shape.value);
  if ('pump' in shape) {
    const digits = shape.counted === true ? DIGITS - 1 : 0;
    return textBytes(shape.before) + n * (textBytes(shape.pump) + digits) + textBytes(shape.after);
  }
  if ('join' in shape) return sum(shape.join.map((part) => bytesOf(part, n)));
  if ('list' in shape) return 2 + n * (1 + bytesOf(shape.list, n));
  if ('array' in shape) return 2 + sum(shape.array.map((part) => 1 + bytesOf(part, n)));
  if ('deep' in shape)
    return bytesOf(shape.deep, n) + levels(n) * (2 + (shape.by?.length ?? 0) * 2);
  if ('counter' in shape) return shape.counter === 'object' ? DIGITS + 8 : DIGITS + 2;
  if ('map' in shape) return 2 + n * (textBytes(shape.key) + DIGITS + 4 + bytesOf(shape.map, n));
  if ('entry' in shape) return 6 + bytesOf(shape.key, n) + bytesOf(shape.entry, n);
  return 2 + sum(shape.object.map(([key, part]) => key.length + 4 + bytesOf(part, n)));
}

/** How many values it has, including nested ones. */
function valuesOf(shape, n) {
  if ('value' in shape) return valuesIn(shape.value);
  if ('list' in shape) return 1 + n * valuesOf(shape.list, n);
  if ('map' in shape) return 1 + n * valuesOf(shape.map, n);
  if ('deep' in shape) return levels(n) + valuesOf(shape.deep, n);
  if ('entry' in shape) return 1 + valuesOf(shape.entry, n);
  if ('counter' in shape) return shape.counter === 'object' ? 2 : 1;
  return 1 + sum(innerOf(shape).map(([, part]) => valuesOf(part, n)));
}

/**
 * The largest n with which it fits this many bytes; 1 for a shape that does not grow or is too
 * large.
 */
export function countFor(shape, bytes) {
  const fits = (n) => bytesOf(shape, n) <= bytes && valuesOf(shape, n) <= MOST_VALUES;
  let [low, high] = [1, 2];
  while (high < bytes && fits(high)) [low, high] = [high, high * 2];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** A text shape. */
export function text(pump, before = '', after = '') {
  return { before, pump, after };
}

/** All shapes within a shape, itself first. */
export function partsOf(shape) {
  return [shape, ...innerOf(shape).flatMap(([, part]) => partsOf(part))];
}

/** The shape with one part, found by identity, replaced. */
export function withPart(shape, part, replacement) {
  if (shape === part) return replacement;
  return innerOf(shape).reduce(
    (result, [put, inner]) => put(result, withPart(inner, part, replacement)),
    shape,
  );
}

/** Whether it is a text, so that it can be part of a text. */
export function isText(shape) {
  return 'pump' in shape || 'join' in shape || typeof shape.value === 'string';
}

/** Each direct part, with a function that replaces it. */
function innerOf(shape) {
  const members = ['list', 'map', 'entry', 'deep']
    .filter((name) => name in shape)
    .map((name) => [(into, part) => ({ ...into, [name]: part }), shape[name]]);
  const places = ['array', 'join'].flatMap((name) =>
    (shape[name] ?? []).map((inner, index) => [
      (into, part) => ({ ...into, [name]: into[name].with(index, part) }),
      inner,
    ]),
  );
  const fields = (shape.object ?? []).map(([key, inner], index) => [
    (into, part) => ({ ...into, object: into.object.with(index, [key, part]) }),
    inner,
  ]);
  return [...members, ...places, ...fields];
}

function renderText({ before, pump, after, counted }, n) {
  if (counted !== true) return before + pump.repeat(n) + after;
  const parts = Array.from({ length: n }, (_, index) => pump.replaceAll('#', String(index)));
  return before + parts.join('') + after;
}

function renderDeep({ deep, by }, n) {
  let result = render(deep, n);
  for (let level = 0; level < levels(n); level += 1) {
    result = by === undefined ? [result] : Object.assign(Object.create(null), { [by]: result });
  }
  return result;
}

function renderCounter(counter, index) {
  if (counter === 'number') return index;
  return counter === 'text' ? `t${index}` : Object.assign(Object.create(null), { id: index });
}

function membersOf(shape, n) {
  if ('map' in shape) {
    return Array.from({ length: n }, (_, index) => [`${shape.key}${index}`, shape.map]);
  }
  return 'entry' in shape ? [[String(render(shape.key, n)), shape.entry]] : shape.object;
}

function levels(n) {
  return Math.min(n, MOST_LEVELS);
}

function valuesIn(value) {
  if (typeof value !== 'object' || value === null) return 1;
  return 1 + sum(Object.values(value).map(valuesIn));
}

function jsonBytes(value) {
  return Buffer.byteLength(JSON.stringify(value) ?? 'null');
}

function textBytes(content) {
  return jsonBytes(content) - 2;
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
