/** Thrown by a handler: its job is started again after a while, behind those that wait. That is no attempt. */
export class Postponed extends Error {
  readonly delayMs: number;

  constructor(delayMs: number) {
    super(`Postponed by ${delayMs} ms.`);
    this.name = 'Postponed';
    this.delayMs = delayMs;
  }
}
