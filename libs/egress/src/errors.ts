/** The address of a call is not allowed. The message gives the reason and may be shown to the author of the address. */
export class EgressRejected extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'EgressRefused';
  }
}

/** A call failed or had no valid response. The message contains nothing from the other side. */
export class EgressFailed extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'EgressFailed';
  }
}
