import { defineErrors } from '@dtplatform/errors';

export const errors = defineErrors({
  invalidQuery: {
    status: 400,
    message: 'The query is not valid.',
    remedy: 'Send `query` as a JSON object in the query language of MongoDB.',
  },
  invalidProjection: {
    status: 400,
    message: 'The projection is not valid.',
    remedy: 'Send `project` as a JSON object that sets all its fields to 1, or all to 0.',
  },
  invalidSort: {
    status: 400,
    message: 'The sort order is not valid.',
    remedy: 'Send `sort` as a JSON object that sets each field to 1 or -1.',
  },
  unknownOperator: {
    status: 400,
    message: 'The query uses an operator that is not allowed.',
    remedy: 'Use only the operators listed in the contract.',
  },
  queryTooComplex: {
    status: 400,
    message: 'The query is nested too deeply or has too many conditions.',
    remedy: 'Split the query into several.',
  },
  queryTooBroad: {
    status: 400,
    message: 'Too many older versions match. Narrow the query down, or request a smaller page.',
    remedy: 'Add conditions, or request a smaller page.',
  },
  searchTooBroad: {
    status: 400,
    message: 'The search has too many matches. Narrow it down, or request smaller pages.',
    remedy: 'Add conditions, or request a smaller page.',
  },
  queryTooSlow: {
    status: 400,
    message: 'The query takes too long. Narrow it down.',
    remedy: 'Add conditions, or create an index on the fields of the query.',
  },
  unsafeRegularExpression: {
    status: 400,
    message: 'The regular expression could take too long.',
    remedy: 'Rewrite the expression without nested repetition.',
  },
  invalidIndex: { status: 400, message: 'The index is not valid.', remedy: 'Compare the index with the contract.' },
  indexExists: {
    status: 400,
    message: 'The collection already has a different index with this name, or another text index.',
    remedy: 'Delete the other index, or choose another name.',
  },
  tooManyIndexes: {
    status: 400,
    message: 'A collection can have at most 10 indexes.',
    remedy: 'Delete an index that no query uses.',
  },
  textIndexMissing: {
    status: 400,
    message: '$text requires a text index, but the collection has none.',
    remedy: 'Create a text index on the collection.',
  },
  namespaceNotIncluded: {
    status: 400,
    message: 'nsfilter must be one of _namespaces.',
    remedy: 'Add the value of `nsfilter` to `_namespaces`.',
  },
  nothingWritten: {
    status: 400,
    message: 'None of the entries could be written.',
    remedy: 'Check `errors`: it gives the reason for each entry.',
  },
  versionTooLarge: {
    status: 413,
    message: 'An entry can be at most 8 MiB.',
    remedy: 'Store large content in a file, and its id in the item.',
  },
  lastVersion: { status: 400, message: 'The only version of an item cannot be deleted.', remedy: 'Delete the item.' },
  noRelatedItems: {
    status: 400,
    message: 'Items of this class have no related items.',
    remedy: 'Use an item of a collection class.',
  },
  noRelatedCollections: {
    status: 400,
    message: 'Only composite items have related collections.',
    remedy: 'Use an item of the class NamedCompositeItem.',
  },
  relatedCollectionMissing: {
    status: 400,
    message: 'An item or version does not exist, or the caller may not read it.',
    remedy: 'Check the ids, and that the caller has READ on the item.',
  },
  relatedCollectionCycle: {
    status: 400,
    message: 'A composite item cannot be related to itself, either directly or through others.',
    remedy: 'Remove the relation that leads back.',
  },
  tooManyRelatedCollections: {
    status: 400,
    message: 'A version can have at most 1000 related collections, and at most 1000 composite items below it.',
    remedy: 'Split them across several composite items.',
  },
  transactionTooLarge: {
    status: 400,
    message: 'A transactional call accepts at most 1000 entries.',
    remedy: 'Send fewer entries, or without `transactional`.',
  },
  fileMissing: {
    status: 400,
    message: 'A file does not exist, or the caller may not read it.',
    remedy: 'Check the id of the file, and that the caller has READ on it.',
  },
  noReadings: {
    status: 400,
    message: 'Only telemetry collections have readings.',
    remedy: 'Use an item of the class NamedTelemetryCollection.',
  },
  telemetryItemMissing: {
    status: 400,
    message: 'A reading does not refer to a telemetry item of the collection.',
    remedy: 'Create the telemetry item first, or correct its id in the reading.',
  },
  readingTooLarge: {
    status: 413,
    message: 'A reading can be at most 64 KiB, and all readings of a request at most 12 MiB.',
    remedy: 'Send fewer readings per call, and store large values in files.',
  },
  shortNameTaken: {
    status: 400,
    message: 'The short name is taken in this namespace.',
    remedy: 'Choose another `_shortName`.',
  },
});
