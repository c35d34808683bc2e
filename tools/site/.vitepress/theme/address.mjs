import { nextTick, onMounted, watch } from 'vue';
import { useRoute } from 'vitepress';

const EXAMPLE = /https:\/\/twins\.example\.com/g;
/** Pages for callers. Operators choose the address themselves. */
const PAGES = /^\/docs\/(packages\/|guides\/(first-app|concepts|browsers|openid-connect)$)/;

/** Examples show the address of this platform. */
export function fillAddress() {
  const route = useRoute();
  onMounted(() => {
    watch(() => route.path, fill, { immediate: true });
  });
}

async function fill(path) {
  await nextTick();
  if (!PAGES.test(path)) return;
  const texts = document.createTreeWalker(document.querySelector('.vp-doc'), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    if (text.parentElement.closest('code')) text.data = text.data.replace(EXAMPLE, location.origin);
  }
}
