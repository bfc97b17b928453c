import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type StateEffect } from '@codemirror/state';
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { getNonce } from 'get-nonce';
import { useEffect, useRef } from 'react';
import { languageOf } from './code-language.ts';
import { codeLook } from './code-look.ts';

/** The state of an editor that is not visible: text, undo history and scroll position. */
export type LeftEditor = { state: EditorState; scroll: StateEffect<unknown> };

export type CodeEditorProps = {
  path: string;
  /** The initial text; later the editor has it. */
  text: string;
  /** The left editors of this visit, by path: an editor resumes its own and leaves it again. */
  left: Map<string, LeftEditor>;
  isReadOnly: boolean;
  /** A line to scroll to, counted from 1. */
  place: { line: number } | null;
  onChange: (text: string) => void;
};

/** The slot of the language, which is loaded later. */
const language = new Compartment();

/** The words of the search, as in the rest of the app. */
const PHRASES = {
  next: 'Next',
  previous: 'Previous',
  all: 'All',
  'match case': 'Match case',
  regexp: 'Regular expression',
  'by word': 'Whole words',
  replace: 'Replace',
  'replace all': 'Replace all',
  close: 'Close',
};

const BYTE_ORDER_MARK = '\uFEFF';

/** Edits the text of one file. Give it the path as its key: another file is another editor. */
export function CodeEditor({ path, text, left, isReadOnly, place, onChange }: CodeEditorProps) {
  const frame = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const start = useRef({ text, isReadOnly });
  const latest = useRef(onChange);
  latest.current = onChange;

  useEffect(() => {
    const parent = frame.current;
    if (parent === null) return;
    const before = left.get(path);
    const state = before?.state ?? stateOf(path, start.current, (changed) => latest.current(changed));
    const own = new EditorView({
      state,
      ...(before && { scrollTo: before.scroll }),
      parent,
    });
    view.current = own;
    const showLanguage = async () => {
      const found = await languageOf(path, own.state.sliceDoc());
      if (found !== null && view.current === own) own.dispatch({ effects: language.reconfigure(found) });
    };
    // Without colours a text is still a text.
    showLanguage().catch(() => undefined);
    return () => {
      left.set(path, { state: own.state, scroll: own.scrollSnapshot() });
      view.current = null;
      own.destroy();
    };
  }, [path, left]);

  useEffect(() => {
    const own = view.current;
    if (own === null || place === null) return;
    const { from } = own.state.doc.line(Math.min(place.line, own.state.doc.lines));
    own.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
    own.focus();
  }, [place]);

  return <div ref={frame} className="h-full min-h-0" />;
}

function stateOf(
  path: string,
  { text, isReadOnly }: { text: string; isReadOnly: boolean },
  onChange: (text: string) => void,
): EditorState {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  // Line ends stay as they are, so that a changed word leaves the rest of the text the same to the byte.
  const isOfWindows = text.includes('\r\n') && text.split('\n').length === text.split('\r\n').length;
  const lineBreak = isOfWindows ? '\r\n' : '\n';
  return EditorState.create({
    doc: text.slice(mark.length),
    extensions: [
      EditorState.lineSeparator.of(lineBreak),
      EditorView.clipboardInputFilter.of((pasted) => pasted.split(/\r\n|\n|\r/).join(lineBreak)),
      EditorState.readOnly.of(isReadOnly),
      EditorView.cspNonce.of(getNonce() ?? ''),
      EditorView.contentAttributes.of({ 'aria-label': path }),
      EditorState.phrases.of(PHRASES),
      EditorView.lineWrapping,
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (docChanged) onChange(mark + state.sliceDoc());
      }),
      lineNumbers(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      highlightSpecialChars(),
      highlightSelectionMatches(),
      history(),
      bracketMatching(),
      search({ top: true }),
      // Tab leads to the next control, as everywhere; Ctrl ] and Ctrl [ indent.
      keymap.of([...searchKeymap, ...historyKeymap, ...defaultKeymap]),
      codeLook,
      language.of([]),
    ],
  });
}
