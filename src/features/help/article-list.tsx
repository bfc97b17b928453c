import { ChevronDown } from 'lucide-react';
import { useEffect, useState } from 'react';
import { askKeepsMail, useKeepsMail } from '../../api/keeps-mail.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { classNames } from '../../components/class-names.ts';
import { SearchField } from '../../components/fields/search-field.tsx';
import { EmptyState } from '../../components/page/empty-state.tsx';
import { dropText } from '../../lib/browser/is-touch.ts';
import { type Article, type Chapter, type MailTexts, searchArticles } from './articles.ts';

export type ArticleListProps = { searchLabel: string; chapters: readonly Chapter[] };

/** Articles that open in place, with a search over titles and texts; the address may name the one to open. */
export function ArticleList({ searchLabel, chapters }: ArticleListProps) {
  const [search, setSearch] = useState('');
  const found = searchArticles(chapters, search);
  const count = found.reduce((sum, { articles }) => sum + articles.length, 0);
  useEffect(openNamedArticle, []);

  return (
    <div className="max-w-reading">
      <SearchField label={searchLabel} value={search} onValueChange={setSearch} />
      <p role="status" className="sr-only">
        {search.trim() === '' ? '' : `${count} found`}
      </p>
      {found.map(({ title, articles }) => (
        <section key={title} className="mt-8">
          <h2 className="mb-3 text-lg font-semibold">{title}</h2>
          <Card className="divide-y divide-line">
            {articles.map((article) => (
              <OneArticle key={article.id} article={article} />
            ))}
          </Card>
        </section>
      ))}
      {count === 0 && (
        <Card className="mt-8">
          <EmptyState action={<Button onClick={() => setSearch('')}>Show all</Button>}>No results.</EmptyState>
        </Card>
      )}
    </div>
  );
}

function OneArticle({ article: { id, title, paragraphs } }: { article: Article }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details id={id} className="group scroll-mt-20" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="flex cursor-pointer items-center justify-between gap-4 rounded-control px-4 py-3.5 font-medium hover:bg-surface-hover sm:px-5">
        {title}
        <ChevronDown className="shrink-0 text-ink-muted transition-transform group-open:rotate-180" />
      </summary>
      <div className="flex flex-col gap-2 px-4 pb-4 text-ink-muted text-pretty sm:px-5">
        {paragraphs.map((paragraph) =>
          typeof paragraph === 'string' ? (
            <p key={paragraph}>{dropText(paragraph)}</p>
          ) : (
            <MailParagraph key={paragraph.kept} texts={paragraph} isAsked={isOpen} />
          ),
        )}
      </div>
    </details>
  );
}

/** The server is asked where mail stays once somebody reads of it: most never do, and its client is large. */
function MailParagraph({ texts, isAsked }: { texts: MailTexts; isAsked: boolean }) {
  return isAsked ? <KnownMail {...texts} /> : <p>{texts.kept}</p>;
}

function KnownMail({ sent, kept }: MailTexts) {
  const keepsMail = useKeepsMail();
  const [isAsked, setAsked] = useState(false);
  // Without an answer, as offline, the paragraph is shown all the same.
  useEffect(() => void askKeepsMail().then(() => setAsked(true)), []);
  const isUnknown = keepsMail === null && !isAsked;
  return <p className={classNames(isUnknown && 'invisible')}>{keepsMail === false ? sent : kept}</p>;
}

/** Opens the article of an address like `/help#roll-back`. */
function openNamedArticle(): void {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!(named instanceof HTMLDetailsElement)) return;
  named.open = true;
  named.scrollIntoView();
}
