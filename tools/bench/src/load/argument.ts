/** The argument of the program. */
export const argument = <T>(): T => JSON.parse(process.argv[2] ?? '') as T;
