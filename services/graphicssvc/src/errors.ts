import { defineErrors } from '@dtplatform/errors';

/** What may be wrong with a request, and why a load fails; the messages of the latter show as `_message`. */
export const errors = defineErrors({
  fileNotFound: { status: 404, message: 'A file is missing in the namespace, is not complete, or may not be read.' },
  fileGone: { status: 404, message: 'The file is not there any more.' },
  notTheLatest: { status: 409, message: 'Only the latest version of a file can be loaded.' },
});
