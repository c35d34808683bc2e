import type { Paging } from '@dtplatform/http';

/** How many there are in all. A page that is not full tells it by itself; otherwise it is counted. */
export async function totalFrom(
  { offset, pageSize }: Paging,
  found: number,
  count: () => Promise<number>,
): Promise<number> {
  const isLastPage = found < pageSize && (found > 0 || offset === 0);
  return isLastPage ? offset + found : count();
}
