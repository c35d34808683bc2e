/** A built file of itemsvc. */
export const loadItemsvc = (file: string): Promise<unknown> =>
  import(new URL(`../../../../../services/itemsvc/dist/${file}.js`, import.meta.url).href);
