/** TypeScript that the compiler accepts, and that the parser's plugin refuses or misreads. */

import { lineBreak, Parser, tokTypes } from 'acorn';

// For the compiler these are type errors, which do not prevent a program from running.
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
    // By the offset at which the first part of a conditional begins: whether an arrow function can
    // begin there, namely only if the following text confirms it (true), not at all (false), or as
    // in other places (null).
    #consequents = new Map();

    raise(position, message) {
      // For messages about modifiers, the plugin sometimes passes a function instead of its result.
      const isTypeError = typeof message === 'function' || TYPE_ERROR.test(message);
      if (!isTypeError) super.raise(position, message);
    }

    // Words such as `type` and `abstract` have their own tokens, even in places in which only a
    // name is possible.
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

    /**
     * Whether a name must follow the token before the current one, if anything follows it on its
     * line.
     */
    #isBeforeName() {
      const { preToken, type } = this;
      const isKeyword =
        BEFORE_NAMES.has(type) ||
        (type === tokTypes.star && preToken === tokTypes._function) ||
        (type === tokTypes.name && this.value === 'async');
      // Such words can also be names of properties, which may end a line.
      return isKeyword && !lineBreak.test(this.input.slice(this.end, this.start));
    }

    // In `a ? (b) : c => d`, the arrow function has no type. If it had one, the `:` of the
    // conditional would follow it.
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

    /** Records that the next expression, if it belongs to a conditional, is followed by its `:`. */
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

    // Of all modifiers, only after `static` can a line end.
    tsNextTokenCanFollowModifier() {
      const isStatic = this.value === 'static';
      return (
        super.tsNextTokenCanFollowModifier() ||
        (isStatic && (this.isClassElementNameStart() || this.match(tokTypes.star)))
      );
    }

    // The plugin accepts `const` only for some declarations with type parameters.
    tsTryParseTypeParameters(parseModifiers = this.tsParseConstModifier) {
      return super.tsTryParseTypeParameters(parseModifiers);
    }

    // The parser checks whether the parameters of a function contain `await`, and the plugin takes
    // an earlier one for that.
    tsTryParseGenericAsyncArrowFunction(...others) {
      const { awaitPos, yieldPos } = this;
      this.awaitPos = this.yieldPos = 0;
      const arrow = super.tsTryParseGenericAsyncArrowFunction(...others);
      Object.assign(this, { awaitPos, yieldPos });
      return arrow;
    }

    // A parameter that becomes a property is a simple parameter after its types are removed.
    isSimpleParamList(params) {
      return super.isSimpleParamList(params.map((each) => each.parameter ?? each));
    }

    // To see whether the statement ends, the plugin reads the semicolon.
    tsParseExpressionStatement(node, expression) {
      return this.match(tokTypes.semi)
        ? undefined
        : super.tsParseExpressionStatement(node, expression);
    }

    // The method of the plugin does not accept a trailing comma.
    parseDynamicImport(node) {
      return Parser.prototype.parseDynamicImport.call(this, node);
    }

    // The method of the plugin does not accept options, which look like a type.
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

    // An exported class needs no name, even if it is abstract.
    parseExportDefaultDeclaration() {
      if (!this.isAbstractClass()) return super.parseExportDefaultDeclaration();
      const node = this.startNode();
      this.next();
      node.abstract = true;
      return this.parseClass(node, 'nullableID');
    }

    // Declarations for types only conflict with nothing.
    declareName(...others) {
      if (!this.isAmbientContext) super.declareName(...others);
    }

    // An alias may refer to a type, which does not conflict either.
    tsParseImportEqualsDeclaration(...others) {
      return this.tsInAmbientContext(() => super.tsParseImportEqualsDeclaration(...others));
    }

    parseImportSpecifiers() {
      const parse = () => super.parseImportSpecifiers();
      return this.importOrExportOuterKind === 'type' ? this.tsInAmbientContext(parse) : parse();
    }
  };
