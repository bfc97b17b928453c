/** A question or a subject with its answer, one paragraph an entry. */
export type Article = { id: string; title: string; paragraphs: readonly string[] };
export type Chapter = { title: string; articles: readonly Article[] };

/** Returns the articles that contain every word of `search`, by chapter; all of them for an empty search. */
export function searchArticles(chapters: readonly Chapter[], search: string): Chapter[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ title, paragraphs }: Article) => {
    const text = [title, ...paragraphs].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return chapters
    .map(({ title, articles }) => ({ title, articles: articles.filter(fits) }))
    .filter(({ articles }) => articles.length > 0);
}
