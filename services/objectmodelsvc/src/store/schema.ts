import { defineSchema } from '@dtplatform/mongo';
import { indexes } from './indexes.js';

/** The indexes and migrations that this version needs. Append migrations, never change one (docs/adr/0013). */
export const schema = defineSchema({ indexes, migrations: [] });
