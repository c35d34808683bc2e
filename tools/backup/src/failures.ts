/** Exit codes of the programs. */
export const EXIT = { done: 0, failed: 1, refused: 2, incomplete: 3 } as const;

/** Repeating the command does not help: the operator must do or decide something first. */
export class Rejected extends Error {}

/** @param how such as `was changed` */
export const damaged = (what: string, how: string): Rejected => new Rejected(`the backup is damaged: ${what} ${how}`);
