import type { Schema } from '@dtplatform/mongo';

/** What a service is called and what it needs of its database. */
export interface ServiceDefinition {
  name: string;
  schema: Schema;
}
