/** What the program was started with. */
export const argument = <T>(): T => JSON.parse(process.argv[2] ?? '') as T;
