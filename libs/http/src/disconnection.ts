import type { Response } from 'express';
import { commonErrors } from '@dtplatform/errors';
import type { CallBounds } from '@dtplatform/telemetry';

/** Tells when the caller disconnects before the answer is complete. The signal is made on first use: few requests need it. */
export class Disconnection implements CallBounds {
  readonly #res: Response;
  #abort: AbortController | undefined;

  constructor(res: Response) {
    this.#res = res;
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      const [res, controller] = [this.#res, new AbortController()];
      const abort = () => controller.abort(commonErrors.callerDisconnected());
      res.once('close', () => res.writableFinished || abort());
      if (res.destroyed) abort();
      this.#abort = controller;
    }
    return this.#abort.signal;
  }
}
