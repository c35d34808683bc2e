import { observeElementOffset, useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';

const ROW_PX = 37;
/** Browsers lay out elements of about this height. */
const MAX_PX = 16_000_000;

/** Pixels of the list for each pixel of its scroll bar. @param view the height of what is in view */
function scaleOf(count: number, view: number): number {
  const [total, tall] = [count * ROW_PX, Math.min(count * ROW_PX, MAX_PX)];
  return tall > view ? (total - view) / (tall - view) : 1;
}

/**
 * The rows in view of a list that scrolls, and the height of the space above and below them. Lists that are too tall for
 * browsers move by more than their scroll bar.
 */
export function useVirtualRows(count: number) {
  const region = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => region.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    observeElementOffset: (instance, onOffset) =>
      observeElementOffset(instance, (offset) => {
        const view = instance.scrollElement?.clientHeight ?? 0;
        const end = Math.max(0, instance.options.count * ROW_PX - view);
        // While scrolling, the library ignores offsets above the maximum of the element: none is reported as such.
        onOffset(Math.min(offset * scaleOf(instance.options.count, view), end), false);
      }),
  });
  const items = virtual.getVirtualItems();
  const [start, end] = [items[0]?.start ?? 0, items.at(-1)?.end ?? 0];
  const isScaled = scaleOf(count, virtual.scrollRect?.height ?? 0) > 1;
  // The rows stay in view when the count changes, and with it the scale.
  const ahead = isScaled ? (virtual.scrollOffset ?? 0) - (region.current?.scrollTop ?? 0) : 0;
  const above = Math.max(0, start - ahead);
  const below = Math.max(0, Math.min(count * ROW_PX, MAX_PX) - above - (end - start));
  return { region, visible: items.map(({ index }) => index), above, below };
}
