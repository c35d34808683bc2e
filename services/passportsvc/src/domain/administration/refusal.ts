/** Why a command could not be carried out, in words for the operator. */
export class Refusal extends Error {
  constructor(
    readonly reason: 'failed' | 'usage' | 'not-found' | 'refused',
    message: string,
  ) {
    super(message);
    this.name = 'Refusal';
  }
}
