import { defineSchema } from '@dtplatform/mongo';
import { indexes } from './indexes.js';

/** The database that this version needs. Migrations are appended and never changed (docs/adr/0013). */
export const schema = defineSchema({ indexes, migrations: [] });
