import type { TemplateId } from './templates.ts';

const TEXTS = import.meta.glob<string>('./*/**', { query: '?raw', import: 'default', eager: true });

/** Lists the texts of a template by path. */
export function templateFiles(id: TemplateId): Map<string, string> {
  const folder = `./${id}/`;
  const own = Object.entries(TEXTS).filter(([path]) => path.startsWith(folder));
  return new Map(own.map(([path, text]) => [path.slice(folder.length), text]));
}
