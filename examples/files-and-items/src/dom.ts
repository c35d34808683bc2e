/** The element that a selector finds. @throws Error if the page has no such element */
export function find<Type extends Element>(
  selector: string,
  type: new () => Type,
  within: ParentNode = document,
): Type {
  const element = within.querySelector(selector);
  if (element instanceof type) return element;
  throw new Error(`The page has no ${type.name} ${selector}.`);
}

/** A copy of what is in a template. */
export function copy(template: string): HTMLElement {
  const { content } = find(template, HTMLTemplateElement);
  return document.importNode(find('*', HTMLElement, content), true);
}

/** Writes texts into elements, by selector. Data from elsewhere is only ever text, never HTML. */
export function write(within: ParentNode, texts: Record<string, string | undefined>): void {
  for (const [selector, text] of Object.entries(texts)) find(selector, HTMLElement, within).textContent = text ?? '';
}

/** Shows a button, and waits until it is clicked. @throws the reason of the signal */
export function untilClicked(button: HTMLButtonElement, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      button.hidden = true;
      button.onclick = null;
    };
    button.hidden = false;
    button.onclick = () => {
      end();
      resolve();
    };
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
