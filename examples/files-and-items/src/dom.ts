/** The element that matches a selector. @throws Error if there is none */
export function find<Type extends Element>(
  selector: string,
  type: new () => Type,
  within: ParentNode = document,
): Type {
  const element = within.querySelector(selector);
  if (element instanceof type) return element;
  throw new Error(`The page has no ${type.name} ${selector}.`);
}

/** Clones the content of a template. */
export function copy(template: string): HTMLElement {
  const { content } = find(template, HTMLTemplateElement);
  return document.importNode(find('*', HTMLElement, content), true);
}

/** Sets the text of elements, by selector. Uses text only, never HTML, so that data cannot inject markup. */
export function write(within: ParentNode, texts: Record<string, string | undefined>): void {
  for (const [selector, text] of Object.entries(texts)) find(selector, HTMLElement, within).textContent = text ?? '';
}

/** Shows a button and waits until it is clicked. @throws the reason of the signal */
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
