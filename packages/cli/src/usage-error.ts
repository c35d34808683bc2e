import { DtplatformError } from '@dtplatform/sdk';

/** Wrong arguments, or arguments that refer to something missing. */
export class UsageError extends DtplatformError {
  override name = 'UsageError';
}
