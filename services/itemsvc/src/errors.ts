import { defineErrors } from '@dtplatform/errors';

/** What itemsvc refuses, beside what every service does. */
export const errors = defineErrors({
  invalidQuery: { status: 400, message: 'The query is not valid.' },
  invalidProjection: { status: 400, message: 'The projection is not valid.' },
  invalidSort: { status: 400, message: 'The sort order is not valid.' },
  unknownOperator: { status: 400, message: 'The query has an operator that is not allowed.' },
  queryTooComplex: { status: 400, message: 'The query is nested too deep or has too many conditions.' },
  queryTooBroad: { status: 400, message: 'Too many older versions match; narrow the query or the page.' },
  queryTooSlow: { status: 400, message: 'The query takes too long; narrow it.' },
  unsafeRegularExpression: { status: 400, message: 'The regular expression could run away.' },
  textIndexMissing: { status: 400, message: '$text needs a text index, and there is none.' },
  namespaceNotIncluded: { status: 400, message: 'nsfilter must be one of _namespaces.' },
  nothingWritten: { status: 400, message: 'None of the entries could be written.' },
  versionTooLarge: { status: 413, message: 'A version may hold 8 MiB at most.' },
  noRelatedItems: { status: 400, message: 'Items of this class have no related items.' },
  fileMissing: { status: 400, message: 'A file does not exist, or the caller may not read it.' },
  shortNameTaken: { status: 400, message: 'The short name is taken in this namespace.' },
});
