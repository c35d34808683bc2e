import { paginate } from '@dtplatform/sdk';
import { find } from './dom.js';
import { client } from './platform.js';
import { attempt } from './problems.js';
import { hashOf, placeOf } from './screens.js';

const choice = find('#workspace', HTMLSelectElement);

/** Lists the user's workspaces. Each has a namespace for calls. */
export async function loadWorkspaces(): Promise<void> {
  choice.replaceChildren();
  for await (const { _name, _shortName, _namespaces } of paginate(client, 'passportsvc.workspaces.list'))
    choice.add(new Option(_name ?? _shortName, _namespaces[0]));
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
