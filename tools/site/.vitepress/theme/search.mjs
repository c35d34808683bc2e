const STOP_WORDS = /^(a|an|and|are|as|by|can|do|for|from|how|i|in|is|it|my|of|on|or|the|this|to|with)$/;

/** Set here: VitePress would evaluate functions of its configuration as text, which the content security policy forbids. */
export const searchOptions = {
  processTerm: (term) => (STOP_WORDS.test(term.toLowerCase()) ? null : term.toLowerCase()),
  boost: { title: 8, titles: 3, text: 1 },
  boostDocument,
};

/** Decisions come last, and errors, of which there are hundreds, after what leads to them. */
function boostDocument(id) {
  if (id.includes('/adr/')) return 0.1;
  if (id.includes('/guides/errors')) return 0.3;
  return /\/(guides|packages)\//.test(id) ? 2 : 1;
}
