import { defineSchema } from '@dtplatform/mongo';
import { indexes } from './indexes.js';

/** What this version needs of its database. Migrations are added at the end and never changed (docs/adr/0013). */
export const schema = defineSchema({ indexes, migrations: [] });
