/** The address of a call is not allowed. The message says why and may be shown to whoever chose the address. */
export class EgressRejected extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'EgressRefused';
  }
}

/** A call had no proper answer. The message holds nothing that the other side has sent. */
export class EgressFailed extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'EgressFailed';
  }
}
