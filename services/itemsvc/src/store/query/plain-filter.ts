import type { Filter } from '@dtplatform/mongo';
import { PLATFORM } from '../../domain/platform.js';
import type { Expression, Test } from '../../domain/query/expression.js';

/** Turns what is asked of one field into a filter for the documents as they are stored. */
export type FieldFilter = (path: string, tests: Test[]) => Filter;

/** A query as a filter, field by field. */
export function toFilter(expression: Expression, field: FieldFilter): Filter {
  if (expression.kind === 'field') return field(expression.path, expression.tests);
  if (expression.kind === 'text') return { $text: expression.search };
  if (expression.parts.length === 0) return {};
  return { [`$${expression.kind}`]: expression.parts.map((part) => toFilter(part, field)) };
}

/** For documents that are stored as they are shown. */
export const plainField: FieldFilter = (path, tests) => ({ [path]: operatorsOf(tests) });

/** No document has this field, which is reserved: what is asked of a field that is not shown is asked of a missing one. */
export const NO_FIELD = `${PLATFORM}.none`;

/** For documents that are shown without some of their fields. */
export const fieldWithout =
  (...hidden: string[]): FieldFilter =>
  (path, tests) =>
    plainField(hidden.includes(path.split('.', 1)[0]!) ? NO_FIELD : path, tests);

/** The tests of one field in the database's language. */
export const operatorsOf = (tests: Test[]): Filter => Object.assign({}, ...tests.map(operatorOf)) as Filter;

function operatorOf(test: Test): Filter {
  if ('value' in test) return { [test.operator]: test.value };
  switch (test.operator) {
    case '$regex':
      return { $regex: test.pattern, $options: test.options };
    case '$not':
      return { $not: operatorsOf(test.tests) };
    case '$all':
      return { $all: test.entries.map(entryOfAll) };
    case '$elemMatch':
      return { $elemMatch: 'query' in test ? toFilter(test.query, plainField) : operatorsOf(test.tests) };
  }
}

const entryOfAll = (entry: Test): unknown => (entry.operator === '$eq' ? entry.value : operatorOf(entry));
