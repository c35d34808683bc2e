import { paginate } from '@dtplatform/sdk';
import { find } from './dom.js';
import { client } from './platform.js';
import { attempt } from './problems.js';
import { hashOf, placeOf } from './screens.js';

const choice = find('#workspace', HTMLSelectElement);

/** Lists the user's workspaces. Each has a namespace for calls. */
export async function loadWorkspaces(): Promise<void> {
  const found: { name: string; namespace: string }[] = [];
  for await (const { _name, _shortName, _namespaces } of paginate(client, 'passportsvc.workspaces.list'))
    found.push({ name: _name ?? _shortName ?? '', namespace: _namespaces[0] ?? '' });
  // Workspaces of the same name are told apart by their namespaces.
  const isShared = (name: string) => found.filter((each) => each.name === name).length > 1;
  choice.replaceChildren();
  for (const { name, namespace } of found)
    choice.add(new Option(isShared(name) ? `${name} (${namespace})` : name, namespace));
}

/** The given workspace's namespace, or the first one's; undefined if there are none. */
export function chooseWorkspace(namespace?: string): string | undefined {
  choice.value = namespace ?? '';
  if (choice.selectedIndex < 0) choice.selectedIndex = 0;
  return choice.value || undefined;
}

function open(namespace: string): void {
  location.hash = hashOf({ namespace, screen: placeOf(location.hash).screen ?? 'files' });
}

choice.onchange = () => open(choice.value);

find('#new-workspace', HTMLFormElement).onsubmit = (event) => {
  event.preventDefault();
  void attempt(async () => {
    const name = find('#workspace-name', HTMLInputElement).value;
    const body = [{ _name: name, _shortName: name.slice(0, 22), _userAttributes: {} }];
    const { _list } = await client.call('passportsvc.workspaces.create', { body });
    await loadWorkspaces();
    open(_list[0]!._namespaces[0]!);
  });
};
