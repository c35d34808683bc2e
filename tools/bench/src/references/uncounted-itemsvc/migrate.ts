/** Its database is one of its own, with the indexes of itemsvc. */
await import(new URL('../../../../../services/itemsvc/dist/migrate.js', import.meta.url).href);
