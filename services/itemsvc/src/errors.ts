import { defineErrors } from '@dtplatform/errors';

/** What itemsvc refuses, beside what every service does. */
export const errors = defineErrors({
  invalidQuery: { status: 400, message: 'The query is not valid.' },
  invalidProjection: { status: 400, message: 'The projection is not valid.' },
  invalidSort: { status: 400, message: 'The sort order is not valid.' },
  unknownOperator: { status: 400, message: 'The query has an operator that is not allowed.' },
  queryTooComplex: { status: 400, message: 'The query is nested too deeply or has too many conditions.' },
  queryTooBroad: {
    status: 400,
    message: 'Too many older versions match. Narrow the query down, or request a smaller page.',
  },
  searchTooBroad: { status: 400, message: 'The search matches too much. Narrow it down, or request smaller pages.' },
  queryTooSlow: { status: 400, message: 'The query takes too long. Narrow it down.' },
  unsafeRegularExpression: { status: 400, message: 'The regular expression could take too long.' },
  invalidIndex: { status: 400, message: 'The index is not valid.' },
  indexExists: { status: 400, message: 'The collection has another index of this name, or another text index.' },
  tooManyIndexes: { status: 400, message: 'A collection has at most 10 indexes.' },
  textIndexMissing: { status: 400, message: '$text requires a text index, which the collection does not have.' },
  namespaceNotIncluded: { status: 400, message: 'nsfilter must be one of _namespaces.' },
  nothingWritten: { status: 400, message: 'None of the entries could be written.' },
  versionTooLarge: { status: 413, message: 'An entry can have at most 8 MiB.' },
  lastVersion: { status: 400, message: 'The only version of an item cannot be deleted.' },
  noRelatedItems: { status: 400, message: 'Items of this class have no related items.' },
  noRelatedCollections: { status: 400, message: 'Only composite items have related collections.' },
  relatedCollectionMissing: {
    status: 400,
    message: 'An item or version does not exist, or the caller may not read it.',
  },
  relatedCollectionCycle: {
    status: 400,
    message: 'A composite item cannot be related to itself, either directly or through others.',
  },
  tooManyRelatedCollections: {
    status: 400,
    message: 'A version has at most 1000 related collections, and at most 1000 composite items below it.',
  },
  transactionTooLarge: { status: 400, message: 'A transactional call accepts at most 1000 entries.' },
  fileMissing: { status: 400, message: 'A file does not exist, or the caller may not read it.' },
  noReadings: { status: 400, message: 'Only telemetry collections have readings.' },
  telemetryItemMissing: { status: 400, message: 'A reading does not name a telemetry item of the collection.' },
  readingTooLarge: {
    status: 413,
    message: 'A reading can have at most 64 KiB, and the readings of a request at most 12 MiB.',
  },
  shortNameTaken: { status: 400, message: 'The short name is taken in this namespace.' },
});
