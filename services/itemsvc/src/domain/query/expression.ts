/** A caller's query, checked: only what is in these types can reach the database. */
export type Expression =
  | { kind: 'and' | 'or' | 'nor'; parts: Expression[] }
  | { kind: 'field'; path: string; tests: Test[] }
  | { kind: 'text'; search: TextSearch };

/** What one operator asks of a field. */
export type Test =
  | { operator: ValueOperator; value: unknown }
  | { operator: '$regex'; pattern: string; options: string }
  | { operator: '$not'; tests: Test[] }
  | { operator: '$all'; entries: Test[] }
  | { operator: '$elemMatch'; tests: Test[] }
  | { operator: '$elemMatch'; query: Expression };

/** Operators whose value goes to the database as it is. */
type ValueOperator =
  '$eq' | '$ne' | '$gt' | '$gte' | '$lt' | '$lte' | '$in' | '$nin' | '$exists' | '$type' | '$size' | '$mod';

export interface TextSearch {
  $search: string;
  $language?: string;
  $caseSensitive?: boolean;
  $diacriticSensitive?: boolean;
}
