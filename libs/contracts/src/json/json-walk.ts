import type { JsonPath } from './json-rejected.js';

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const SPACE = /[\t\n\r ]*/y;
const PLAIN = /[^"\\\x00-\x1f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

class NoJson extends Error {}

/**
 * Walks through JSON text to find the place of an error. Much slower than JSON.parse, which reports no paths. The text
 * must not be nested deeper than scanJson allows.
 */
export class JsonWalk {
  /** Where the text stops being valid JSON; its length if all of it is. */
  end = 0;
  /** The path of the first number that a double cannot hold exactly. */
  inexact: JsonPath | undefined;
  readonly #path: (string | number)[] = [];

  constructor(private readonly text: string) {
    try {
      this.#value();
      this.#skip(SPACE);
    } catch (error) {
      if (!(error instanceof NoJson)) throw error;
    }
  }

  #value(): void {
    this.#skip(SPACE);
    const first = this.text[this.end];
    if (first === '{') this.#entries('}');
    else if (first === '[') this.#entries(']');
    else if (first === '"') this.#string();
    else if (!this.#skip(WORD)) this.#number();
  }

  #entries(close: string): void {
    this.end++;
    this.#skip(SPACE);
    if (this.#take(close)) return;
    for (let index = 0; ; index++) {
      this.#path.push(close === ']' ? index : this.#key());
      this.#value();
      this.#path.pop();
      this.#skip(SPACE);
      if (this.#take(close)) return;
      this.#expect(',');
      this.#skip(SPACE);
    }
  }

  #key(): string {
    const start = this.end;
    this.#string();
    const key = JSON.parse(this.text.slice(start, this.end)) as string;
    this.#skip(SPACE);
    this.#expect(':');
    return key;
  }

  #string(): void {
    this.#expect('"');
    do this.#skip(PLAIN);
    while (this.#skip(ESCAPE));
    this.#expect('"');
  }

  #number(): void {
    const start = this.end;
    if (!this.#skip(NUMBER)) throw new NoJson();
    if (!isKeptExactly(this.text.slice(start, this.end))) this.inexact ??= [...this.#path];
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.end;
    if (!pattern.test(this.text) || pattern.lastIndex === this.end) return false;
    this.end = pattern.lastIndex;
    return true;
  }

  #take(char: string): boolean {
    if (this.text[this.end] !== char) return false;
    this.end++;
    return true;
  }

  #expect(char: string): void {
    if (!this.#take(char)) throw new NoJson();
  }
}

/**
 * Whether a number survives parsing: it does not overflow and, if written as an integer, is one that a double holds or
 * prints (1152921504606847000 for 2^60). Fractions are approximate in any client.
 */
export function isKeptExactly(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  if (Number.isSafeInteger(value) || !/^-?\d+$/.test(literal)) return true;
  return String(value) === literal || BigInt(literal) === BigInt(value);
}
