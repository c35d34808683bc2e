import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import { header, optionalHeader } from '@dtplatform/http';
import { errors } from '../../errors.js';
import { TUS_VERSION } from './tus-protocol.js';

export const wholeNumber = z.int().min(0);

/** Headers of tus 1.0; clients of the platform's own protocol get them, too. */
export const tusResumable = optionalHeader(
  'Tus-Resumable',
  'The version of tus, from clients that use it.',
  z.literal(TUS_VERSION),
);
export const tusHeaders = [header('Tus-Resumable', 'The version of tus.', z.literal(TUS_VERSION))];
export const uploadOffset = header('Upload-Offset', 'How many bytes have been stored.', wholeNumber);
export const uploadLength = header('Upload-Length', 'The length of the whole content in bytes.', wholeNumber);
export const protocolHeaders = [
  ...tusHeaders,
  header('Tus-Version', 'The versions of tus that are offered.'),
  header('Tus-Extension', 'The extensions of tus that are offered.'),
  header('Tus-Max-Size', 'The length of the largest file in bytes.', wholeNumber),
];

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
