import { commonErrors } from '@dtplatform/errors';
import { errors } from '../../errors.js';

export const tusErrors = [errors.unsupportedTusVersion];
/** Why bytes are refused. */
export const unappendable = [
  errors.invalidChecksum,
  errors.otherChecksum,
  errors.checksumMismatch,
  errors.tooManyBytes,
  errors.uploadCut,
  errors.fileTooLarge,
  errors.wrongOffset,
  errors.uploadTakenOver,
  errors.uploadRunning,
  errors.uploadLocked,
  commonErrors.conflict,
];
