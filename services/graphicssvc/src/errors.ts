import { defineErrors } from '@dtplatform/errors';

/** Errors of requests and of loads; callers see the message of a load's error as `_message`. */
export const errors = defineErrors({
  fileNotFound: { status: 404, message: 'A file does not exist in the namespace, is incomplete, or may not be read.' },
  fileGone: { status: 404, message: 'The file no longer exists.' },
  notTheLatest: { status: 409, message: 'Only the latest version of a file can be loaded.' },
});
