import { defineErrors } from '@dtplatform/errors';

/** What itemsvc refuses, beside what every service does. */
export const errors = defineErrors({
  invalidQuery: { status: 400, message: 'The query is not valid.' },
  invalidProjection: { status: 400, message: 'The projection is not valid.' },
  invalidSort: { status: 400, message: 'The sort order is not valid.' },
  unknownOperator: { status: 400, message: 'The query has an operator that is not allowed.' },
  queryTooComplex: { status: 400, message: 'The query is nested too deep or has too many conditions.' },
  queryTooBroad: { status: 400, message: 'Too many older versions match; narrow the query or the page.' },
  searchTooBroad: { status: 400, message: 'The search finds too much; narrow it, or ask for smaller pages.' },
  queryTooSlow: { status: 400, message: 'The query takes too long; narrow it.' },
  unsafeRegularExpression: { status: 400, message: 'The regular expression could run away.' },
  invalidIndex: { status: 400, message: 'The index is not valid.' },
  indexExists: { status: 400, message: 'The collection has another index of this name, or another text index.' },
  tooManyIndexes: { status: 400, message: 'A collection has at most 10 indexes.' },
  textIndexMissing: { status: 400, message: '$text needs a text index, and there is none.' },
  namespaceNotIncluded: { status: 400, message: 'nsfilter must be one of _namespaces.' },
  nothingWritten: { status: 400, message: 'None of the entries could be written.' },
  versionTooLarge: { status: 413, message: 'An entry may hold 8 MiB at most.' },
  lastVersion: { status: 400, message: 'The only version of an item cannot be deleted.' },
  noRelatedItems: { status: 400, message: 'Items of this class have no related items.' },
  noRelatedCollections: { status: 400, message: 'Only composite items have related collections.' },
  relatedCollectionMissing: {
    status: 400,
    message: 'An item or version does not exist, or the caller may not read it.',
  },
  relatedCollectionCycle: {
    status: 400,
    message: 'A composite item cannot be related to itself, also not by way of others.',
  },
  tooManyRelatedCollections: {
    status: 400,
    message: 'A version has at most 1000 related collections, and at most 1000 composite items below it.',
  },
  transactionTooLarge: { status: 400, message: 'A transactional call takes 1000 entries at most.' },
  fileMissing: { status: 400, message: 'A file does not exist, or the caller may not read it.' },
  noReadings: { status: 400, message: 'Only telemetry collections have readings.' },
  telemetryItemMissing: { status: 400, message: 'A reading names no telemetry item of the collection.' },
  readingTooLarge: { status: 413, message: 'A reading may hold 64 KiB, and the readings of a request 12 MiB.' },
  shortNameTaken: { status: 400, message: 'The short name is taken in this namespace.' },
});
