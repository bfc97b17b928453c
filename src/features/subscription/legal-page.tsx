import type { ReactNode } from 'react';
import { Page } from '../../components/page/page.tsx';

export type LegalSection = { title: string; text: ReactNode };

/** A page of terms in plain words: a summarizing sentence, then its parts. */
export function LegalPage({
  title,
  summary,
  parts,
}: {
  title: string;
  summary: string;
  parts: readonly LegalSection[];
}) {
  return (
    <Page width="reading">
      <h1 className="text-2xl font-semibold">{title}</h1>
      <p className="mt-2 text-lg text-ink-muted text-pretty">{summary}</p>
      {parts.map((part) => (
        <section key={part.title} className="mt-8">
          <h2 className="text-lg font-semibold">{part.title}</h2>
          <div className="mt-2 flex flex-col gap-3 text-pretty">{part.text}</div>
        </section>
      ))}
    </Page>
  );
}
