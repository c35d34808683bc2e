import { insertCompletionText, pickedCompletion } from '@codemirror/autocomplete';
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { basicSetup } from 'codemirror';
import { useEffect, useRef } from 'react';
import { useShadow } from './shadow';

const LANGUAGES = { json: [json()], javascript: [javascript()], text: [] };

export interface EditorProps {
  value: string;
  onChange?: (value: string) => void;
  language: keyof typeof LANGUAGES;
  /** Names the field for screen readers. */
  label: string;
  /** Names to complete; in JSON they are written in quotes. */
  completions?: { label: string; detail?: string }[];
  readOnly?: boolean;
  /** Called for Ctrl+Enter. */
  onSubmit?: () => void;
}

const theme = EditorView.theme({
  '&': { border: '1px solid #868e96', borderRadius: '4px', fontSize: '14px' },
  '&.cm-focused': { outline: '2px solid #1864ab' },
  '.cm-scroller': { maxHeight: '60vh', overflow: 'auto' },
});

/** A field for code, with highlighting and completion. Load it with the page that needs it: it is large. */
export function Editor(props: EditorProps) {
  const { value, language, label, readOnly = false } = props;
  const current = useRef(props);
  const view = useRef<EditorView>(null);
  useEffect(() => void (current.current = props));
  const host = useShadow(
    (parent) => {
      const submit = () => {
        current.current.onSubmit?.();
        return current.current.onSubmit !== undefined;
      };
      const autocomplete = (context: CompletionContext) => complete(context, current.current);
      const editor = new EditorView({
        parent,
        doc: current.current.value,
        extensions: [
          keymap.of([{ key: 'Mod-Enter', run: submit }]),
          ...[basicSetup, LANGUAGES[language], theme, EditorView.lineWrapping],
          EditorState.languageData.of(() => [{ autocomplete }]),
          EditorState.readOnly.of(readOnly),
          EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': String(readOnly) }),
          EditorView.updateListener.of(
            ({ docChanged, state }) => docChanged && current.current.onChange?.(state.doc.toString()),
          ),
        ],
      });
      view.current = editor;
      return () => editor.destroy();
    },
    [language, label, readOnly],
  );
  useEffect(() => {
    const { state } = view.current!;
    if (state.doc.toString() === value) return;
    view.current!.dispatch({ changes: { from: 0, to: state.doc.length, insert: value } });
  }, [value]);
  return <div ref={host} className="editor" />;
}

function complete(context: CompletionContext, { completions = [], language }: EditorProps): CompletionResult | null {
  const inQuotes = language === 'json' ? context.matchBefore(/"[^"\n]*$/) : null;
  const word = inQuotes ?? context.matchBefore(/[\w$.]*$/);
  if (!word || (word.text === '' && !context.explicit)) return null;
  const apply = language === 'json' ? applyQuoted : undefined;
  return {
    from: word.from + (inQuotes ? 1 : 0),
    options: completions.map((completion) => ({ ...completion, apply })),
    validFor: /^[^"\n]*$/,
  };
}

/** Adds the quotes that are not there yet. */
function applyQuoted(view: EditorView, completion: Completion, from: number, to: number): void {
  const { state } = view;
  const opening = state.sliceDoc(from - 1, from) === '"' ? '' : '"';
  const end = state.sliceDoc(to, to + 1) === '"' ? to + 1 : to;
  const quoted = `${opening}${JSON.stringify(completion.label).slice(1, -1)}"`;
  view.dispatch({ ...insertCompletionText(state, quoted, from, end), annotations: pickedCompletion.of(completion) });
}
