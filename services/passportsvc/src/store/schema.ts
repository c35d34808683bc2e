import { defineSchema } from '@dtplatform/mongo';
import { indexes } from './indexes.js';

/** What this version requires of its database. Migrations are appended and never changed (docs/adr/0013). */
export const schema = defineSchema({ indexes, migrations: [] });
