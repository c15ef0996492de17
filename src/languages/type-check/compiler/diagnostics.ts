import ts from 'typescript';
import { SESSION_FOLDER, TOOLS_FILE } from './file-names.ts';
import type { ProgramOutline } from './program-outline.ts';

/**
 * Diagnostics for code that JavaScript runs, or may run, without an error: hints for people, and no
 * reason to refuse a program.
 */
const TOLERATED: ReadonlySet<number> = new Set([
  // Possibly null, undefined or unknown.
  2531, 2532, 2533, 2571, 2721, 2722, 2723, 18046, 18047, 18048, 18049,
  // Types of modules, which are all `any`.
  2694, 2709,
  // Type arguments, or none, for values and types that are `any`.
  2314, 2315, 2347, 2707,
  // A function that may end without a value, which is then undefined.
  2355, 2366,
  // Things that the compiler cannot know.
  2589, 2590,
  // Declared twice, used before a value was assigned, or without a default value.
  2393, 2403, 2454, 2525, 2564,
  // `this`, which is `any`.
  2683,
  // Read-only for the compiler, but a name of an earlier program that gets another value.
  2540, 2542, 2632, 4104,
  // Always true, never true, or never needed.
  2774, 2869, 2871, 2872, 2873, 2881,
  // A property that is deleted but not optional, and `resolve()` of a promise without a type.
  2790, 2794,
  // Directives that hide no error.
  2578,
]);

/** Newer than the library. */
const NEWER_PROPERTY = 2550;
const NEWER_NAME = 2583;
const UNKNOWN_NAME: ReadonlySet<number> = new Set([
  NEWER_NAME,
  2304,
  2503,
  2552,
  2584,
  2749,
  18004,
]);
const UNKNOWN_PROPERTY: ReadonlySet<number> = new Set([2339, 2551]);
const NOT_ASSIGNABLE: ReadonlySet<number> = new Set([2322, 2345, 2769]);
/**
 * The compiler infers these types from `[]`, `null` and `undefined` in an object, which gets other
 * values later.
 */
const TO_INITIAL_TYPE = / type '(?:never|null|undefined|ConcatArray<never>)'\.$/m;
const NO_NUMBER: ReadonlySet<number> = new Set([2362, 2363, 2365]);
const NO_INDEX = 2538;
const NOT_ITERABLE = 2488;

/** The types of what can be in brackets after an object. */
const INDEX = ts.TypeFlags.StringLike | ts.TypeFlags.NumberLike | ts.TypeFlags.ESSymbolLike;

/** In the declarations of a program, the type of an object literal is a type literal. */
const OWN_OBJECT = ts.SymbolFlags.ObjectLiteral | ts.SymbolFlags.TypeLiteral | ts.SymbolFlags.Class;

export interface DiagnosticContext {
  readonly checker: ts.TypeChecker;
  readonly file: ts.SourceFile;
  readonly outline: ProgramOutline;
  readonly hasUnknownNames: boolean;
  /** Whether the library has all that the compiler knows. */
  readonly isWholeLibrary: boolean;
}

/** Whether a program with this diagnostic is certainly, or almost certainly, wrong. */
export function isProblem(diagnostic: ts.Diagnostic, context: DiagnosticContext): boolean {
  const { code, category } = diagnostic;
  if (category !== ts.DiagnosticCategory.Error || diagnostic.start === undefined) return false;
  // Codes up to 1999 are about grammar, which the guest checks. Those from 7000 on are about values
  // without a type, which are `any`.
  if (code < 2000 || (code >= 7000 && code < 8000) || TOLERATED.has(code)) return false;
  // The interpreter may be newer than the compiler.
  if (context.isWholeLibrary && (code === NEWER_PROPERTY || code === NEWER_NAME)) return false;
  const node = nodeAt(context.file, diagnostic.start, diagnostic.length ?? 0);
  if (UNKNOWN_NAME.has(code)) return !isKnownOtherwise(node, context);
  if (code === NEWER_PROPERTY) return !isLookedFor(node, context.file);
  if (UNKNOWN_PROPERTY.has(code)) return !mayHaveProperty(node, context);
  if (NOT_ASSIGNABLE.has(code)) {
    if (isArgumentOfTool(node, context.checker)) return true;
    const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n');
    return !TO_INITIAL_TYPE.test(text) && !hasTypeUnlessMissing(node, context.checker);
  }
  if (code === NOT_ITERABLE) return !isIterableUnlessMissing(node, context.checker);
  if (code === NO_INDEX) return !isIndexUnlessMissing(node, context.checker);
  if (NO_NUMBER.has(code)) return !isDateArithmetic(node, context.checker);
  return true;
}

function isKnownOtherwise(node: ts.Node, { outline, hasUnknownNames }: DiagnosticContext): boolean {
  const name = node.getText();
  return hasUnknownNames || outline.lookedFor.has(name) || outline.globals.has(name);
}

/**
 * Whether the program does more with properties of this name than to call or construct them: it may
 * find out whether they exist, or add them.
 */
function isLookedFor(
  { text: name }: ts.Node & { readonly text?: string },
  file: ts.SourceFile,
): boolean {
  const visit = (node: ts.Node): boolean =>
    (ts.isPropertyAccessExpression(node) && node.name.text === name && !isCalled(node)) ||
    (ts.isStringLiteralLike(node) && node.text === name) ||
    ts.forEachChild(node, (child) => visit(child) || undefined) === true;
  return visit(file);
}

function isCalled(node: ts.PropertyAccessExpression): boolean {
  const { parent } = node;
  const isCall = ts.isCallExpression(parent) || ts.isNewExpression(parent);
  return isCall && parent.expression === node && !ts.isOptionalChain(parent);
}

/**
 * Objects that get more properties, and values of one of several kinds, are valid in JavaScript.
 */
function mayHaveProperty(node: ts.Node, { checker, outline }: DiagnosticContext): boolean {
  const { parent } = node;
  const owner = ts.isPropertyAccessExpression(parent)
    ? parent.expression
    : ts.isBindingElement(parent) && parent.parent;
  if (owner === false) return false;
  const type = checker.getNonNullableType(checker.getTypeAtLocation(owner));
  const name = node.getText();
  const isAdded = outline.properties.has(name);
  if (isAdded && owner.kind === ts.SyntaxKind.ThisKeyword) return true;
  if ((type.flags & ts.TypeFlags.Never) !== 0) return true;
  if (type.isUnion()) return type.types.some((each) => checker.getPropertyOfType(each, name));
  if ((type.flags & ts.TypeFlags.Object) === 0) return false;
  const isBare =
    checker.getPropertiesOfType(type).length === 0 && type.getCallSignatures().length === 0;
  return isBare || (isAdded && isOfSession(type));
}

/** Whether programs of the session make the objects of a type. Others are of tools or the library. */
function isOfSession(type: ts.Type): boolean {
  const symbol = type.symbol as ts.Symbol | undefined;
  const isMade = ((symbol?.flags ?? 0) & OWN_OBJECT) !== 0;
  const files = symbol?.declarations?.map((each) => each.getSourceFile().fileName) ?? [];
  return isMade && files.some((name) => name.startsWith(SESSION_FOLDER));
}

/** Whether a node is in the arguments of a call of a tool, and not of another call in them. */
function isArgumentOfTool(node: ts.Node, checker: ts.TypeChecker): boolean {
  const { parent } = node as { readonly parent?: ts.Node };
  if (parent === undefined) return false;
  if (!ts.isCallExpression(parent) || parent.expression === node) {
    return isArgumentOfTool(parent, checker);
  }
  const { declaration } = checker.getResolvedSignature(parent) ?? {};
  return declaration?.getSourceFile().fileName === TOOLS_FILE;
}

/** Whether a value has the type that is wanted, unless it is null or undefined. */
function hasTypeUnlessMissing(node: ts.Node, checker: ts.TypeChecker): boolean {
  const value = valueAt(node);
  if (value === undefined) return false;
  const wanted = checker.getContextualType(value);
  if (wanted === undefined) return false;
  const type = checker.getNonNullableType(checker.getTypeAtLocation(value));
  return (type.flags & ts.TypeFlags.Never) === 0 && checker.isTypeAssignableTo(type, wanted);
}

/** The value whose type is wrong if the compiler says it of this node. */
function valueAt(node: ts.Node): ts.Expression | undefined {
  if (ts.isReturnStatement(node)) return node.expression;
  const { parent } = node;
  const isNamed = ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent);
  if (isNamed && parent.name === node) return parent.initializer;
  if (ts.isBinaryExpression(parent) && parent.left === node) return parent.right;
  return ts.isExpression(node) ? node : undefined;
}

function isIndexUnlessMissing(node: ts.Node, checker: ts.TypeChecker): boolean {
  const type = checker.getNonNullableType(checker.getTypeAtLocation(node));
  if ((type.flags & ts.TypeFlags.Never) !== 0) return false;
  return (type.isUnion() ? type.types : [type]).every(({ flags }) => (flags & INDEX) !== 0);
}

/** Whether a value that is spread, destructured or looped over can be, unless it is null or undefined. */
function isIterableUnlessMissing(node: ts.Node, checker: ts.TypeChecker): boolean {
  const type = checker.getNonNullableType(checker.getTypeAtLocation(node));
  if ((type.flags & ts.TypeFlags.Never) !== 0) return false;
  return (type.isUnion() ? type.types : [type]).every((each) =>
    checker
      .getPropertiesOfType(checker.getApparentType(each))
      .some(({ name }) => name.startsWith('__@iterator')),
  );
}

function isDateArithmetic(node: ts.Node, checker: ts.TypeChecker): boolean {
  const { parent } = node;
  const operation = ts.isBinaryExpression(node)
    ? node
    : ts.isBinaryExpression(parent)
      ? parent
      : undefined;
  if (operation === undefined) return false;
  return [operation.left, operation.right].some((operand) =>
    /^Date\b/.test(checker.typeToString(checker.getTypeAtLocation(operand))),
  );
}

/** The innermost node that contains a range. */
function nodeAt(file: ts.SourceFile, start: number, length: number): ts.Node {
  let found: ts.Node = file;
  const visit = (node: ts.Node): void => {
    if (node.getStart(file) <= start && node.end >= start + length) {
      found = node;
      ts.forEachChild(node, visit);
    }
  };
  ts.forEachChild(file, visit);
  return found;
}
