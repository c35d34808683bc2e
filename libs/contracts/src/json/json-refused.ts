import { cutText } from '../cut-text.js';

export type JsonPath = readonly (string | number)[];

const MAX_KEY = 64;
const MAX_PLACE = 200;

/**
 * JSON, or a value, that the platform refuses. `message` continues a subject ("The body …"), as those of describeIssue do. It
 * names fields, and repeats no value.
 */
export class JsonRefused extends Error {
  /** @param path where in the value; empty for the whole of it, and for what is no JSON */
  constructor(
    readonly problem: string,
    readonly path: JsonPath = [],
  ) {
    super(path.length === 0 ? problem : `${problem}: ${placeOf(path)}`);
    this.name = 'JsonRefused';
  }
}

/** What is no JSON at all. */
export class NotJson extends JsonRefused {}

/** A path as programs write it: `[3]._userAttributes.n`. */
function placeOf(path: JsonPath): string {
  const place = path
    .map((key) => {
      if (typeof key === 'number') return `[${key}]`;
      const name = cutText(key, MAX_KEY);
      return /^[\p{L}\p{N}_$-]+$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
    })
    .join('');
  return cutText(place.replace(/^\./, ''), MAX_PLACE);
}
