import { errors } from '../../errors.js';

/** Why entries cannot be added. */
export const unaddable = [errors.noRelatedItems, errors.nothingWritten, errors.fileMissing];
