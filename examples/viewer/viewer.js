import { readFileSet } from './stream.js';

const form = document.querySelector('#form');
const status = document.querySelector('#status');
const list = document.querySelector('#files');
const disconnect = document.querySelector('#disconnect');
/** By the file set: a second "Open" of the same one goes on where the first one ended. */
const known = new Map();

function show(files) {
  for (const [id, { received, size, isComplete, note }] of files) {
    let item = document.getElementById(id);
    if (!item) {
      item = Object.assign(document.createElement('li'), { id });
      item.append(document.createElement('span'), document.createElement('progress'));
      list.append(item);
    }
    const [text, bar] = item.children;
    text.textContent = `${id}: ${received} of ${size ?? '?'} bytes${isComplete ? ', complete' : `, ${note}`}`;
    Object.assign(bar, { max: size || 1, value: isComplete ? size || 1 : received });
  }
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const source = Object.fromEntries(new FormData(form));
  const files = known.get(source.fileSetId) ?? new Map();
  known.set(source.fileSetId, files);
  list.replaceChildren();
  status.textContent = 'Reading.';
  const { socket, done } = readFileSet(source, files, () => show(files));
  disconnect.disabled = false;
  disconnect.onclick = () => socket.close();
  try {
    await done;
    const isComplete = [...files.values()].every((file) => file.isComplete);
    status.textContent = isComplete ? 'All files are complete.' : 'Some files cannot be read now.';
  } catch (error) {
    status.textContent = `${error.message} Open again to resume.`;
  } finally {
    socket.close();
    disconnect.disabled = true;
  }
});
