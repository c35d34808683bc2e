import { ref } from 'vue';

/** The reader's access token for all pages. In memory only: scripts of stored files must not find it. */
export const token = ref('');
