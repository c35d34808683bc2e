import { readFileSync } from 'node:fs';

/** The argument of the program, as JSON on its standard input: a command line would be too short for some. */
export const argument = <T>(): T => JSON.parse(readFileSync(0, 'utf8')) as T;
