/**
 * An event of a user could not be delivered to a server. The message is for the delivery log, and holds nothing that the
 * server has sent.
 */
export class DeliveryFailed extends Error {
  /** Whether calls for other users would fail as well: the server or its token endpoint is unavailable, for example. */
  readonly concernsServer: boolean;

  constructor(message: string, { concernsServer, cause }: { concernsServer: boolean; cause?: unknown }) {
    super(message, { cause });
    this.name = 'DeliveryFailed';
    this.concernsServer = concernsServer;
  }
}
