/** A question or a subject with its answer, one paragraph an entry. */
export type Article = { id: string; title: string; paragraphs: readonly string[] };
export type Chapter = { title: string; articles: readonly Article[] };

/**
 * Returns the articles that contain every word of `search`, those of a chapter with a title that does included; all of
 * them for an empty search.
 */
export function searchArticles(chapters: readonly Chapter[], search: string): Chapter[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (chapter: string, { title, paragraphs }: Article) => {
    const text = [chapter, title, ...paragraphs].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return chapters
    .map(({ title, articles }) => ({ title, articles: articles.filter((article) => fits(title, article)) }))
    .filter(({ articles }) => articles.length > 0);
}
