import { isKeptExactly, problemOfText } from '@dtplatform/contracts';

const QUOTED = /"(?:[^"\\]|\\.)*"/g;
/** JSON allows no control characters in its strings, and the parser takes exponential time for line breaks in them. */
const CONTROL = /[\u0000-\u001f\u007f]/;

export interface WithoutLiterals {
  /** The filter with the number of each text in its place. */
  text: string;
  literals: string[];
}

/**
 * Takes the texts out of a filter, because the parser does not read their escapes as JSON does. Some clients send a backslash
 * before each quote; it is read as if it were not there. @throws SyntaxError
 */
export function takeLiterals(filter: string): WithoutLiterals {
  if (CONTROL.test(filter)) throw new SyntaxError('a control character');
  const isEscaped = filter[filter.indexOf('"') - 1] === '\\';
  const literals: string[] = [];
  const text = (isEscaped ? filter.replaceAll('\\"', '"') : filter).replace(QUOTED, (quoted) => {
    const literal = JSON.parse(quoted) as string;
    const problem = problemOfText(literal);
    if (problem) throw new SyntaxError(`a text that ${problem}`);
    literals.push(literal);
    return `"${literals.length - 1}"`;
  });
  if (text.match(/\b\d[\d.eE+-]*/g)?.some((number) => !isKeptExactly(number))) {
    throw new SyntaxError('a number that cannot be kept exactly');
  }
  return { text, literals };
}
