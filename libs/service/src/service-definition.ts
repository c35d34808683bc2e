import type { Schema } from '@dtplatform/mongo';

/** The name of a service and the schema of its database. */
export interface ServiceDefinition {
  name: string;
  schema: Schema;
}
