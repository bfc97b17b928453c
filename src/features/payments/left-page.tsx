import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useUser } from '../../api/user.ts';
import { Button } from '../../components/button.tsx';
import { Page } from '../../components/page/page.tsx';
import { href, paths } from '../../lib/paths/paths.ts';

/** The page after a checkout was left; `children` is the first act, if that is not choosing a plan. */
export function LeftPage({ title, text, children }: { title: string; text: string; children?: ReactNode }) {
  const { user, isLoading } = useUser();
  return (
    <Page width="reading">
      <h1 className="text-2xl font-semibold">{title}</h1>
      <p className="mt-2 text-lg text-ink-muted text-pretty">{text}</p>
      <div className="mt-6 flex flex-wrap gap-2">
        {children}
        <Button asChild variant={children === undefined ? 'primary' : 'secondary'} className="max-sm:w-full">
          <Link to={paths.subscriptionPricing}>See the plans</Link>
        </Button>
        <Button asChild className="max-sm:w-full">
          {user === null && !isLoading ? (
            <Link to={href.login(paths.account)}>Log in</Link>
          ) : (
            <Link to={paths.dashboard}>Go to Dashboard</Link>
          )}
        </Button>
      </div>
    </Page>
  );
}
