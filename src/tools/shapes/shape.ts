import { isFieldName } from './field-names.ts';

/** Parts that are nested more deeply are not looked at. */
export const MAXIMUM_DEPTH = 6;
/** How many names of fields one shape can have, in all its parts. */
const MAXIMUM_NAMES = 60;
/** How long these names can be together, for each of them that there can be. */
const CHARACTERS_OF_NAME = 20;
/** How many of the names each deeper level leaves to those above it, which say more. */
const NAMES_OF_LEVEL = 10;
/** An object with more keys is a map: its keys are data. */
const MAXIMUM_FIELDS = 32;
/** An object in which more keys have objects is a map, too. */
const MAXIMUM_OBJECT_FIELDS = 12;
/** From so many keys on, those that most objects lack are those of a map. */
const FEWEST_KEYS_OF_MAP = 8;

/** The types of values without parts, as bits. */
export const SCALAR = { null: 1, boolean: 2, integer: 4, number: 8, string: 16 } as const;

/** What is known of the values at one place in results: their types, keys and lengths, and no value. */
export interface Shape {
  /** How many values were seen. */
  seen: number;
  /** The bits of `SCALAR`. */
  scalars: number;
  /** Whether there were values that were not looked at, because they are nested too deeply. */
  isUnknown: boolean;
  list: ListShape | undefined;
  object: ObjectShape | undefined;
}

export interface ListShape {
  shortest: number;
  longest: number;
  /** Whether one of them was cut, so that it may be longer. */
  isCut: boolean;
  readonly items: Shape;
}

export interface ObjectShape {
  /** How many objects were seen to their ends. */
  seen: number;
  /** How many of `fields` they had in all. */
  members: number;
  readonly fields: Map<string, Shape>;
  /** The values of the keys that are not in `fields`. */
  others: Shape | undefined;
  /** Whether all keys that are not in `fields` are data. */
  isMap: boolean;
}

export function emptyShape(): Shape {
  return { seen: 0, scalars: 0, isUnknown: false, list: undefined, object: undefined };
}

export function listOf(shape: Shape): ListShape {
  const empty = { shortest: Infinity, longest: 0, isCut: false, items: emptyShape() };
  return (shape.list ??= empty);
}

export function objectOf(shape: Shape): ObjectShape {
  const empty = { seen: 0, members: 0, fields: new Map(), others: undefined, isMap: false };
  return (shape.object ??= empty);
}

/** Whether an object can lack a field. */
export function isOptional(object: Pick<ObjectShape, 'seen'>, field: Shape): boolean {
  return field.seen < object.seen;
}

/** The names of one shape, whose number and length are limited. */
export class ShapeNames {
  readonly #root: Shape;
  #count = 0;
  #characters = 0;

  constructor(root: Shape) {
    this.#root = root;
  }

  /**
   * The shape of the values of a key: one of its own if it is the name of a field, and there is room.
   * @param depth - In how many lists and objects the object is.
   */
  valueOf(object: ObjectShape, key: string, depth: number): Shape {
    const known = object.fields.get(key);
    if (known !== undefined) {
      object.members += 1;
      return known;
    }
    if (object.isMap || this.#isFull(key, depth) || !isFieldName(key)) {
      return (object.others ??= emptyShape());
    }
    if (hasManyKeys(object)) return this.#makeMap(object, depth, () => false);
    const added = emptyShape();
    // Copied, because a part of a string can keep all of it in memory, with the values.
    object.fields.set(Buffer.from(key).toString(), added);
    object.members += 1;
    this.#count += 1;
    this.#characters += key.length;
    return added;
  }

  /**
   * An object was seen to its end.
   * @param keys - How many keys it has.
   */
  end(object: ObjectShape, depth: number, keys: number): void {
    object.seen += 1;
    if (object.isMap) return;
    const { seen, members, fields } = object;
    if (keys > MAXIMUM_FIELDS) this.#makeMap(object, depth, () => false);
    else if (fields.size >= FEWEST_KEYS_OF_MAP && members * 2 < seen * fields.size) {
      this.#makeMap(object, depth, (_name, field) => field.seen * 2 >= seen);
    }
  }

  #isFull(key: string, depth: number): boolean {
    // The object of a list is as near as one by itself.
    const room = MAXIMUM_NAMES - NAMES_OF_LEVEL * Math.max(0, depth - 1);
    return this.#count >= room || this.#characters + key.length > room * CHARACTERS_OF_NAME;
  }

  /**
   * From now on, the other keys of the object are data.
   * @param isField - Whether a key is the name of a field nevertheless.
   * @returns the shape of the values of the others.
   */
  #makeMap(
    object: ObjectShape,
    depth: number,
    isField: (name: string, field: Shape) => boolean,
  ): Shape {
    const values = (object.others ??= emptyShape());
    object.isMap = true;
    const folded = [...object.fields].filter(([name, field]) => !isField(name, field));
    for (const [name, { seen }] of folded) {
      object.fields.delete(name);
      object.members -= seen;
    }
    this.#count = 0;
    this.#characters = 0;
    this.#recount(this.#root);
    for (const [, field] of folded) this.add(field, values, depth + 1);
    return values;
  }

  #recount({ list, object }: Shape): void {
    if (list !== undefined) this.#recount(list.items);
    if (object === undefined) return;
    for (const [name, field] of object.fields) {
      this.#count += 1;
      this.#characters += name.length;
      this.#recount(field);
    }
    if (object.others !== undefined) this.#recount(object.others);
  }

  /** Adds what one shape knows to another one, whose names these are. */
  add(from: Shape, to: Shape, depth = 0): void {
    to.seen += from.seen;
    to.scalars |= from.scalars;
    to.isUnknown ||= from.isUnknown;
    if (from.list !== undefined) {
      const list = listOf(to);
      list.shortest = Math.min(list.shortest, from.list.shortest);
      list.longest = Math.max(list.longest, from.list.longest);
      list.isCut ||= from.list.isCut;
      this.add(from.list.items, list.items, depth + 1);
    }
    if (from.object !== undefined) this.#addObject(from.object, objectOf(to), depth);
  }

  #addObject(from: ObjectShape, to: ObjectShape, depth: number): void {
    if (from.isMap && !to.isMap) this.#makeMap(to, depth, (name) => from.fields.has(name));
    for (const [name, field] of from.fields) {
      this.add(field, this.valueOf(to, name, depth), depth + 1);
      // `valueOf` has counted one of them.
      if (to.fields.has(name)) to.members += field.seen - 1;
    }
    if (from.others !== undefined) this.add(from.others, (to.others ??= emptyShape()), depth + 1);
    to.seen += from.seen;
  }
}

/** Whether the keys of an object are data, because there are so many. */
function hasManyKeys({ fields }: ObjectShape): boolean {
  if (fields.size >= MAXIMUM_FIELDS) return true;
  if (fields.size < MAXIMUM_OBJECT_FIELDS) return false;
  const objects = [...fields.values()].filter(({ object }) => object !== undefined);
  return objects.length >= MAXIMUM_OBJECT_FIELDS;
}
