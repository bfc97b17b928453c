import type { ReactNode } from 'react';
import { Card } from '../../components/card.tsx';
import { Mark } from '../../components/mark.tsx';
import { Page } from '../../components/page/page.tsx';

export type AuthCardProps = { title: string; subtitle: ReactNode; notice?: ReactNode; children: ReactNode };

/** The one column of the screens around sign-in: the mark, a title and a card. */
export function AuthCard({ title, subtitle, notice, children }: AuthCardProps) {
  return (
    <Page className="sm:pt-12">
      <div className="mx-auto flex max-w-form flex-col">
        <div className="mb-6 flex flex-col items-center text-center">
          <Mark className="mb-5 size-9" />
          <h1 className="text-xl font-semibold wrap-anywhere">{title}</h1>
          <p className="text-ink-muted text-pretty">{subtitle}</p>
        </div>
        {notice}
        <Card className="p-5 sm:p-6">{children}</Card>
      </div>
    </Page>
  );
}
