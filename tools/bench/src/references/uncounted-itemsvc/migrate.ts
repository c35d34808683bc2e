import { loadItemsvc } from './load-itemsvc.js';

/** Its database is one of its own, with the indexes of itemsvc. */
await loadItemsvc('migrate');
