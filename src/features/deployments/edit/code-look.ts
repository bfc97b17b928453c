import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const color = (name: string) => `var(--color-${name})`;

/** The editor in the colours of the app, so that it follows the theme automatically. */
const look = EditorView.theme({
  '&': { height: '100%', color: color('ink'), fontSize: 'var(--text-sm)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.6' },
  '.cm-content': { padding: '8px 0', caretColor: color('ink') },
  '.cm-gutters': { backgroundColor: color('surface-sunken'), color: color('ink-faint'), borderColor: color('line') },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': {
    backgroundColor: 'color-mix(in oklab, var(--color-surface-hover) 60%, transparent)',
  },
  '.cm-activeLineGutter': { backgroundColor: color('surface-hover'), color: color('ink') },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: color('accent-soft') },
  '.cm-searchMatch': { backgroundColor: color('warn-soft') },
  '.cm-searchMatch-selected, .cm-selectionMatch': { backgroundColor: color('accent-soft') },
  '.cm-panels': { backgroundColor: color('surface-sunken'), color: color('ink'), borderColor: color('line') },
  '.cm-panel.cm-search': { padding: '8px 32px 8px 8px', fontFamily: 'var(--font-sans)' },
  '.cm-panel.cm-search label': { fontSize: 'var(--text-sm)' },
  '.cm-textfield': {
    backgroundColor: color('surface-raised'),
    borderColor: color('line-control'),
    borderRadius: 'var(--radius-tight)',
    fontSize: 'var(--text-sm)',
    padding: '4px 8px',
  },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: color('surface-raised'),
    borderColor: color('line-strong'),
    borderRadius: 'var(--radius-tight)',
    fontSize: 'var(--text-sm)',
    padding: '4px 8px',
  },
  '.cm-panel.cm-search [name=close]': { color: color('ink-muted'), fontSize: '20px', padding: '4px 8px' },
});

const highlight = HighlightStyle.define([
  { tag: [tags.keyword, tags.tagName, tags.operatorKeyword], color: color('accent') },
  { tag: [tags.string, tags.attributeValue, tags.special(tags.string)], color: color('good') },
  { tag: [tags.attributeName, tags.propertyName, tags.number, tags.bool, tags.atom], color: color('warn') },
  { tag: [tags.comment, tags.docComment, tags.processingInstruction], color: color('ink-faint'), fontStyle: 'italic' },
  { tag: [tags.angleBracket, tags.punctuation, tags.operator, tags.meta], color: color('ink-muted') },
  { tag: [tags.heading, tags.strong], fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: [tags.link, tags.url], color: color('accent'), textDecoration: 'underline' },
  { tag: tags.invalid, color: color('bad') },
]);

export const codeLook: Extension = [look, syntaxHighlighting(highlight)];
