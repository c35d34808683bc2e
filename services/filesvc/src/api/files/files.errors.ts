import { errors } from '../../errors.js';

/** Where a file or folder cannot be. */
export const misplaced = [
  errors.namespaceMismatch,
  errors.nameTaken,
  errors.unknownParent,
  errors.tooDeep,
  errors.folderMoved,
  errors.uploadTakenOver,
];
export const invalidFilters = [errors.namespaceMismatch, errors.invalidPattern, errors.patternTooSlow];
export const unremovable = [
  errors.folderMoved,
  errors.folderNotEmpty,
  errors.uploadRunning,
  errors.uploadTakenOver,
  errors.folderTooLarge,
];
