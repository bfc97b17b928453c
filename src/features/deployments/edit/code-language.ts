import { defineLanguageFacet, Language, LRLanguage } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import type { LRParser } from '@lezer/lr';
import { extensionOf } from '../../../lib/texts.ts';

/**
 * Only the grammars, each loaded with the first text of its kind: the editor's own language packages include
 * completion, and that of pages the grammars of scripts and styles as well.
 */
const loadPage = () => import('@lezer/html');
const loadStyle = async () => (await import('@lezer/css')).parser;
const loadScript = async () => (await import('@lezer/javascript')).parser;

const TAGS = { commentTokens: { block: { open: '<!--', close: '-->' } } };
const SCRIPTS = { commentTokens: { line: '//', block: { open: '/*', close: '*/' } } };
const STYLES = { commentTokens: { block: { open: '/*', close: '*/' } } };

const define = (parser: LRParser, languageData = {}) => LRLanguage.define({ parser, languageData });

/** Returns the language of a page, with the grammars of the scripts and styles in it when it is opened. */
async function html(text: string): Promise<Extension> {
  const [{ parser, configureNesting }, script, style] = await Promise.all([
    loadPage(),
    /<script/i.test(text) ? loadScript() : null,
    /<style/i.test(text) ? loadStyle() : null,
  ]);
  const isScript = ({ type = '' }: Record<string, string>) => /^$|module|javascript/i.test(type);
  const parts = [
    script && { tag: 'script', attrs: isScript, parser: script },
    style && { tag: 'style', parser: style },
  ].filter((part) => part !== null);
  return define(parser.configure({ wrap: configureNesting(parts) }), TAGS);
}

const css = async () => define(await loadStyle(), STYLES);
const script = (dialect: string) => async () => define((await loadScript()).configure({ dialect }), SCRIPTS);
const json = async () => define((await import('@lezer/json')).parser);
const xml = async () => define((await import('@lezer/xml')).parser, TAGS);
const markdown = async () => new Language(defineLanguageFacet(), (await import('@lezer/markdown')).parser);

const LANGUAGES: Partial<Record<string, (text: string) => Promise<Extension>>> = {
  html,
  htm: html,
  css,
  js: script(''),
  mjs: script(''),
  cjs: script(''),
  jsx: script('jsx'),
  ts: script('ts'),
  tsx: script('jsx ts'),
  json,
  map: json,
  webmanifest: json,
  xml,
  svg: xml,
  rss: xml,
  md: markdown,
};

/** Loads the language of a file, by its name and content; null for plain text. */
export async function languageOf(path: string, text: string): Promise<Extension | null> {
  return (await LANGUAGES[extensionOf(path)]?.(text)) ?? null;
}
