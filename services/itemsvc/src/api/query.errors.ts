import { errors } from '../errors.js';

/** What is wrong with the parameters of a list (docs/contract.md, "Shared query parameters"). */
export const invalidLists = [
  errors.invalidQuery,
  errors.invalidProjection,
  errors.invalidSort,
  errors.unknownOperator,
  errors.queryTooComplex,
  errors.unsafeRegularExpression,
  errors.textIndexMissing,
  errors.queryTooSlow,
];
