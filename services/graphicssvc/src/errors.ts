import { defineErrors } from '@dtplatform/errors';

/** Callers see the message of a load's error as `_message`. */
export const errors = defineErrors({
  fileNotFound: {
    status: 404,
    message: 'A file or version does not exist in the namespace, is incomplete, or the caller may not read it.',
    remedy: 'Check the ids and the namespace, and that the upload is complete.',
  },
  namespaceNotListed: {
    status: 400,
    message: 'nsfilter must be one of _namespaces.',
    remedy: 'Add the value of `nsfilter` to `_namespaces`.',
  },
  fileGone: { status: 404, message: 'The file no longer exists.', remedy: 'Remove the file from the set.' },
  notLoaded: {
    status: 409,
    message: 'The version is not loaded.',
    remedy: 'Request the file, and wait until its state is LOADED.',
  },
  noFileSetOpen: { status: 409, message: 'Open a file set first.', remedy: 'Send `open` before `read`.' },
  requestIdInUse: {
    status: 409,
    message: 'A read with this requestId is in progress.',
    remedy: 'Use another `requestId`.',
  },
  tooManyReads: {
    status: 429,
    message: 'Too many reads are in progress on this connection.',
    remedy: 'Wait for the `end` message of a read.',
  },
  tooManyConnections: {
    status: 429,
    message: 'The caller has too many connections.',
    remedy: 'Use one connection for all reads, and close unused ones.',
  },
  cancelled: {
    status: 499,
    message: 'The client cancelled the read.',
    remedy: 'None: the client requested it.',
  },
  rangeNotSatisfiable: {
    status: 416,
    message: 'The offset is beyond the end of the file.',
    remedy: 'Read from an offset within the size in `header`.',
  },
});
