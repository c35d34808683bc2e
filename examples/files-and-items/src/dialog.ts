import { find, write } from './dom.js';

const dialog = find('#dialog', HTMLDialogElement);
const label = find('label', HTMLLabelElement, dialog);
const field = find('input', HTMLInputElement, dialog);
const cancel = find('.cancel', HTMLButtonElement, dialog);

/** Asks for a name. Undefined if the user cancels or leaves the screen. */
export async function askName(question: string, signal: AbortSignal, name = ''): Promise<string | undefined> {
  label.hidden = false;
  field.required = true;
  field.value = name;
  const isGiven = await open(question, 'Save', signal);
  return isGiven ? field.value.trim() : undefined;
}

/** Asks before something is lost. */
export function confirmLoss(question: string, signal: AbortSignal): Promise<boolean> {
  label.hidden = true;
  field.required = false;
  const isConfirmed = open(question, 'Delete', signal);
  cancel.focus();
  return isConfirmed;
}

function open(question: string, action: string, signal: AbortSignal): Promise<boolean> {
  write(dialog, { h2: question, '.confirm': action });
  dialog.returnValue = '';
  dialog.showModal();
  signal.addEventListener('abort', () => dialog.close(), { once: true });
  return new Promise((resolve) => {
    dialog.onclose = () => resolve(dialog.returnValue === 'confirm');
  });
}

cancel.onclick = () => dialog.close();
