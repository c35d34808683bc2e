/** Which page of a list. A page size of 0 asks for the total alone. */
export interface Paging {
  offset: number;
  pageSize: number;
}

/** One page of a list, and how many entries the list has in all. */
export interface Listing<T> {
  list: T[];
  total: number;
}
