/** A tab chosen in one code group is chosen in all groups. */
export function chooseSameTabs() {
  window.addEventListener('change', ({ target }) => {
    const group = target.closest('.vp-code-group');
    if (!group) return;
    const { top } = group.getBoundingClientRect();
    const names = namesOf(tabsOf(group).find(({ input }) => input === target));
    for (const other of document.querySelectorAll('.vp-code-group')) if (other !== group) choose(other, names);
    // Groups above may change in height; keep the chosen tab in place.
    window.scrollBy(0, group.getBoundingClientRect().top - top);
  });
}

const tabsOf = (group) =>
  [...group.querySelectorAll('.tabs input')].map((input, index) => ({
    ...{ input, block: group.querySelector('.blocks').children[index] },
    label: group.querySelector(`label[for="${input.id}"]`).textContent,
  }));

/** A tab may serve several readers: `curl, SDK`. */
const namesOf = ({ label }) => label.split(', ');

function choose(group, names) {
  const tabs = tabsOf(group);
  const wanted = tabs.find((tab) => namesOf(tab).some((name) => names.includes(name)));
  if (!wanted) return;
  wanted.input.checked = true;
  for (const tab of tabs) tab.block.classList.toggle('active', tab === wanted);
}
