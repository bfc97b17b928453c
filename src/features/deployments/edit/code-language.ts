import type { Extension } from '@codemirror/state';
import { extensionOf } from './texts.ts';

/** Each is a file of its own, fetched with the first text of its kind. */
// What is typed is what is published: no tag closes by itself.
const html = async () => (await import('@codemirror/lang-html')).html({ autoCloseTags: false });
const css = async () => (await import('@codemirror/lang-css')).css();
const javascript = async () => (await import('@codemirror/lang-javascript')).javascript();
const jsx = async () => (await import('@codemirror/lang-javascript')).javascript({ jsx: true });
const typescript = async () => (await import('@codemirror/lang-javascript')).javascript({ typescript: true });
const json = async () => (await import('@codemirror/lang-json')).json();
const xml = async () => (await import('@codemirror/lang-xml')).xml();
const markdown = async () => (await import('@codemirror/lang-markdown')).markdown();

const LANGUAGES: Partial<Record<string, () => Promise<Extension>>> = {
  html,
  htm: html,
  css,
  js: javascript,
  mjs: javascript,
  cjs: javascript,
  jsx,
  ts: typescript,
  tsx: jsx,
  json,
  map: json,
  webmanifest: json,
  xml,
  svg: xml,
  rss: xml,
  md: markdown,
};

/** Fetches the language of a file, by its name; null for a plain text. */
export async function languageOf(path: string): Promise<Extension | null> {
  return (await LANGUAGES[extensionOf(path)]?.()) ?? null;
}
