/** A paragraph about mail, for a Fairlead that sends it and for one that keeps it in its outbox. */
export type MailTexts = { sent: string; kept: string };
/** A question or a subject with its answer, one paragraph an entry; `also` has other words that people look for. */
export type Article = { id: string; title: string; paragraphs: readonly (string | MailTexts)[]; also?: string };
export type Chapter = { title: string; articles: readonly Article[] };

/**
 * Returns the articles that contain every word of `search`, those of a chapter with a title that does included; all of
 * them for an empty search.
 */
export function searchArticles(chapters: readonly Chapter[], search: string): Chapter[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (chapter: string, { title, paragraphs, also = '' }: Article) => {
    const texts = paragraphs.map((paragraph) => (typeof paragraph === 'string' ? paragraph : paragraph.kept));
    const text = [chapter, title, ...texts, also].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return chapters
    .map(({ title, articles }) => ({ title, articles: articles.filter((article) => fits(title, article)) }))
    .filter(({ articles }) => articles.length > 0);
}
