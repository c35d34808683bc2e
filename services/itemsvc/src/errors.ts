import { defineErrors } from '@dtplatform/errors';

export const errors = defineErrors({
  invalidQuery: {
    status: 400,
    message: 'The query is not valid.',
    remedy: 'Check that `query` is a JSON object in the form of MongoDB.',
  },
  invalidProjection: {
    status: 400,
    message: 'The projection is not valid.',
    remedy: 'Check that `project` is a JSON object of field names, all with 1 or all with 0.',
  },
  invalidSort: {
    status: 400,
    message: 'The sort order is not valid.',
    remedy: 'Check that `sort` is a JSON object of field names and 1 or -1.',
  },
  unknownOperator: {
    status: 400,
    message: 'The query has an operator that is not allowed.',
    remedy: 'Use only the operators that the contract lists.',
  },
  queryTooComplex: {
    status: 400,
    message: 'The query is nested too deeply or has too many conditions.',
    remedy: 'Split the query into several.',
  },
  queryTooBroad: {
    status: 400,
    message: 'Too many older versions match. Narrow the query down, or request a smaller page.',
    remedy: 'Add conditions, or ask for a smaller page.',
  },
  searchTooBroad: {
    status: 400,
    message: 'The search matches too much. Narrow it down, or request smaller pages.',
    remedy: 'Add conditions, or ask for a smaller page.',
  },
  queryTooSlow: {
    status: 400,
    message: 'The query takes too long. Narrow it down.',
    remedy: 'Add conditions, or create an index on the fields of the query.',
  },
  unsafeRegularExpression: {
    status: 400,
    message: 'The regular expression could take too long.',
    remedy: 'Write the expression without nested repetitions.',
  },
  invalidIndex: { status: 400, message: 'The index is not valid.', remedy: 'Compare the index with the contract.' },
  indexExists: {
    status: 400,
    message: 'The collection has another index of this name, or another text index.',
    remedy: 'Delete the other index, or choose another name.',
  },
  tooManyIndexes: {
    status: 400,
    message: 'A collection has at most 10 indexes.',
    remedy: 'Delete an index that no query uses.',
  },
  textIndexMissing: {
    status: 400,
    message: '$text requires a text index, which the collection does not have.',
    remedy: 'Create a text index on the collection.',
  },
  namespaceNotIncluded: {
    status: 400,
    message: 'nsfilter must be one of _namespaces.',
    remedy: 'Add the namespace of `nsfilter` to `_namespaces`.',
  },
  nothingWritten: {
    status: 400,
    message: 'None of the entries could be written.',
    remedy: 'Look at `errors`: it says for each entry what is wrong.',
  },
  versionTooLarge: {
    status: 413,
    message: 'An entry can have at most 8 MiB.',
    remedy: 'Keep large content in a file, and its id in the item.',
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
    remedy: 'Check the ids, and ask for READ on the item.',
  },
  relatedCollectionCycle: {
    status: 400,
    message: 'A composite item cannot be related to itself, either directly or through others.',
    remedy: 'Leave out the relation that leads back.',
  },
  tooManyRelatedCollections: {
    status: 400,
    message: 'A version has at most 1000 related collections, and at most 1000 composite items below it.',
    remedy: 'Divide them over several composite items.',
  },
  transactionTooLarge: {
    status: 400,
    message: 'A transactional call accepts at most 1000 entries.',
    remedy: 'Send fewer entries, or without `transactional`.',
  },
  fileMissing: {
    status: 400,
    message: 'A file does not exist, or the caller may not read it.',
    remedy: 'Check the id of the file, and ask for READ on it.',
  },
  noReadings: {
    status: 400,
    message: 'Only telemetry collections have readings.',
    remedy: 'Use an item of the class NamedTelemetryCollection.',
  },
  telemetryItemMissing: {
    status: 400,
    message: 'A reading does not name a telemetry item of the collection.',
    remedy: 'Create the telemetry item first, or correct its id in the reading.',
  },
  readingTooLarge: {
    status: 413,
    message: 'A reading can have at most 64 KiB, and the readings of a request at most 12 MiB.',
    remedy: 'Send fewer readings in a call, and keep large values in files.',
  },
  shortNameTaken: {
    status: 400,
    message: 'The short name is taken in this namespace.',
    remedy: 'Choose another `_shortName`.',
  },
});
