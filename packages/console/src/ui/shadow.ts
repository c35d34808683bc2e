import { useEffect, useRef } from 'react';

/**
 * An element for CodeMirror: in a shadow root it needs no inline styles, which the policy of the server forbids.
 * @param mount fills the root, and returns what empties it
 */
export function useShadow(mount: (root: ShadowRoot) => () => void, dependencies: unknown[]) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current!;
    const unmount = mount(element.shadowRoot ?? element.attachShadow({ mode: 'open' }));
    // Shortcuts of the page must not take what is typed here.
    const keep = (event: KeyboardEvent) => !['Escape', 'Tab'].includes(event.key) && event.stopPropagation();
    element.addEventListener('keydown', keep);
    return () => {
      element.removeEventListener('keydown', keep);
      unmount();
    };
  }, dependencies);
  return host;
}
