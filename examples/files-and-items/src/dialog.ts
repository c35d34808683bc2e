import { find, write } from './dom.js';

const dialog = find('#dialog', HTMLDialogElement);
const label = find('label', HTMLLabelElement, dialog);
const field = find('input', HTMLInputElement, dialog);

/** Asks for a name. Undefined if the user cancels. */
export async function askName(question: string, name = ''): Promise<string | undefined> {
  label.hidden = false;
  field.required = true;
  field.value = name;
  const isGiven = await open(question, 'Save');
  return isGiven ? field.value.trim() : undefined;
}

/** Asks before something is lost. */
export function confirmLoss(question: string): Promise<boolean> {
  label.hidden = true;
  field.required = false;
  return open(question, 'Delete');
}

function open(question: string, action: string): Promise<boolean> {
  write(dialog, { h2: question, '.confirm': action });
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.onclose = () => resolve(dialog.returnValue === 'confirm');
  });
}

find('.cancel', HTMLButtonElement, dialog).onclick = () => dialog.close();
