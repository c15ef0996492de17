/** TypeScript that the compiler takes and the parser's plugin does not, or reads as something else. */

import { lineBreak, Parser, tokTypes } from 'acorn';

// For the compiler these are errors of types, and nothing that would keep a program from running.
const TYPE_ERROR = new RegExp(
  [
    "^This member cannot have an 'override' modifier",
    '^A binding pattern parameter cannot be optional',
    '^Unexpected type cast in parameter',
    '^A type-only import can specify a default import or named bindings',
    "^The 'type' modifier cannot be used on a named import",
    "^A 'const' initializer in an ambient context",
  ].join('|'),
);

const BEFORE_NAMES = new Set([
  tokTypes._break,
  tokTypes._class,
  tokTypes._continue,
  tokTypes._function,
]);
const COLON = ':'.charCodeAt(0);

/** Corrects a parser that has the plugin. */
export const corrected = (Base) =>
  class extends Base {
    // Where the first part of a conditional begins, and what can begin there: an arrow function if what follows it
    // shows that (true), none (false), or, as in other places, whatever is found (null).
    #consequents = new Map();

    raise(position, message) {
      // The plugin has functions for messages about modifiers, and gives some of them in place of what they return.
      const isTypeError = typeof message === 'function' || TYPE_ERROR.test(message);
      if (!isTypeError) super.raise(position, message);
    }

    // Words such as `type` and `abstract` have tokens of their own, also in places that only a name can take.
    finishToken(type, value) {
      const isName = this.#isBeforeName() && this.acornTypeScript.tokenIsIdentifier(type);
      super.finishToken(isName ? tokTypes.name : type, value);
    }

    // A label can be such a word too.
    parseStatement(...others) {
      const isLabel = this.tsIsIdentifier() && this.lookaheadCharCode() === COLON;
      if (isLabel) this.type = tokTypes.name;
      return super.parseStatement(...others);
    }

    /** Whether the token before the one that is read has a name after it, if anything in its line. */
    #isBeforeName() {
      const { preToken, type } = this;
      const isKeyword =
        BEFORE_NAMES.has(type) ||
        (type === tokTypes.star && preToken === tokTypes._function) ||
        (type === tokTypes.name && this.value === 'async');
      // Such words are names of properties too, which a line may end with.
      return isKeyword && !lineBreak.test(this.input.slice(this.end, this.start));
    }

    // `a ? (b) : c => d` has an arrow function without a type: one with a type is followed by the `:` of the conditional.
    parseConditional(test, startPos, startLoc, forInit) {
      if (!this.eat(tokTypes.question)) return test;
      const node = this.startNodeAt(startPos, startLoc);
      const isConsequent = this.#consequents.has(startPos);
      node.test = test;
      this.#markConsequent();
      node.consequent = this.parseMaybeAssign();
      this.expect(tokTypes.colon);
      if (isConsequent) this.#markConsequent();
      node.alternate = this.parseMaybeAssign(forInit);
      return this.finishNode(node, 'ConditionalExpression');
    }

    parseArrowExpression(node, ...others) {
      if (this.#consequents.has(node.start)) this.#markConsequent();
      return super.parseArrowExpression(node, ...others);
    }

    parseParenAndDistinguishExpression(canBeArrow, ...others) {
      return this.#parseConsequent(this.start, canBeArrow, (isArrow) =>
        super.parseParenAndDistinguishExpression(isArrow, ...others),
      );
    }

    parseSubscript(base, startPos, startLoc, noCalls, canBeArrow, ...others) {
      return this.#parseConsequent(startPos, canBeArrow, (isArrow) =>
        super.parseSubscript(base, startPos, startLoc, noCalls, isArrow, ...others),
      );
    }

    /** Notes that what comes next, as far as it belongs to a conditional, is followed by its `:`. */
    #markConsequent() {
      if (!this.#consequents.has(this.start)) this.#consequents.set(this.start, true);
    }

    #parseConsequent(start, canBeArrow, parse) {
      const isAllowed = this.#consequents.get(start) ?? null;
      if (!canBeArrow || isAllowed === null) return parse(canBeArrow);
      if (!isAllowed) return parse(false);
      const arrow = this.tryParse((abort) => {
        const node = parse(true);
        if (node.returnType && !this.match(tokTypes.colon)) abort();
        return node;
      });
      if (arrow.node) return arrow.node;
      const other = this.tryParse((abort) => {
        const node = parse(false);
        if (!this.match(tokTypes.colon)) abort();
        return node;
      });
      this.#consequents.set(start, other.node ? false : null);
      return other.node ?? parse(true);
    }

    // After `static`, and no other modifier, a line may end.
    tsNextTokenCanFollowModifier() {
      const isStatic = this.value === 'static';
      return (
        super.tsNextTokenCanFollowModifier() ||
        (isStatic && (this.isClassElementNameStart() || this.match(tokTypes.star)))
      );
    }

    // The plugin takes `const` for some of what has type parameters.
    tsTryParseTypeParameters(parseModifiers = this.tsParseConstModifier) {
      return super.tsTryParseTypeParameters(parseModifiers);
    }

    // The parameters of a function are looked through for an `await` of their own, and the plugin takes an earlier one
    // for that.
    tsTryParseGenericAsyncArrowFunction(...others) {
      const { awaitPos, yieldPos } = this;
      this.awaitPos = this.yieldPos = 0;
      const arrow = super.tsTryParseGenericAsyncArrowFunction(...others);
      Object.assign(this, { awaitPos, yieldPos });
      return arrow;
    }

    // A parameter that becomes a property is a simple one once types are gone.
    isSimpleParamList(params) {
      return super.isSimpleParamList(params.map((each) => each.parameter ?? each));
    }

    // To see whether the line ends, the plugin reads the semicolon.
    tsParseExpressionStatement(node, expression) {
      return this.match(tokTypes.semi)
        ? undefined
        : super.tsParseExpressionStatement(node, expression);
    }

    // The plugin's own knows no comma at the end.
    parseDynamicImport(node) {
      return Parser.prototype.parseDynamicImport.call(this, node);
    }

    // The plugin's own knows no options, which look like a type.
    tsParseImportType() {
      const node = this.startNode();
      this.expect(tokTypes._import);
      this.expect(tokTypes.parenL);
      node.argument = this.parseExprAtom();
      if (this.eat(tokTypes.comma) && !this.match(tokTypes.parenR)) {
        this.tsParseType();
        this.eat(tokTypes.comma);
      }
      this.expect(tokTypes.parenR);
      if (this.eat(tokTypes.dot)) node.qualifier = this.tsParseEntityName();
      if (this.tsMatchLeftRelational()) node.typeArguments = this.tsParseTypeArguments();
      return this.finishNode(node, 'TSImportType');
    }

    // An exported class needs no name, nor does it if it is abstract.
    parseExportDefaultDeclaration() {
      if (!this.isAbstractClass()) return super.parseExportDefaultDeclaration();
      const node = this.startNode();
      this.next();
      node.abstract = true;
      return this.parseClass(node, 'nullableID');
    }

    // What is declared for types only is not in the way of anything.
    declareName(...others) {
      if (!this.isAmbientContext) super.declareName(...others);
    }

    // An alias may be one of types, which is not in the way either.
    tsParseImportEqualsDeclaration(...others) {
      return this.tsInAmbientContext(() => super.tsParseImportEqualsDeclaration(...others));
    }

    parseImportSpecifiers() {
      const parse = () => super.parseImportSpecifiers();
      return this.importOrExportOuterKind === 'type' ? this.tsInAmbientContext(parse) : parse();
    }
  };
