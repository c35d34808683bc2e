import { defineErrors } from '@dtplatform/errors';

/** Errors of requests and of loads; callers see the message of a load's error as `_message`. */
export const errors = defineErrors({
  fileNotFound: {
    status: 404,
    message: 'A file or version does not exist in the namespace, is incomplete, or may not be read.',
  },
  namespaceNotListed: { status: 400, message: 'nsfilter must be one of _namespaces.' },
  fileGone: { status: 404, message: 'The file no longer exists.' },
  notLoaded: { status: 409, message: 'The version is not loaded.' },
  noFileSetOpen: { status: 409, message: 'Open a file set first.' },
  requestIdInUse: { status: 409, message: 'A read with this requestId is in progress.' },
  tooManyReads: { status: 429, message: 'Too many reads are in progress on this connection.' },
  tooManyConnections: { status: 429, message: 'The caller has too many connections.' },
  cancelled: { status: 499, message: 'The client has cancelled the read.' },
  rangeNotSatisfiable: { status: 416, message: 'The offset is beyond the end of the file.' },
});
