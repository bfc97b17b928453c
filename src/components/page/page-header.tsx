import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

export type Crumb = { label: string; to?: string | undefined };

export type PageHeaderProps = {
  title: ReactNode;
  badge?: ReactNode;
  /** One line below the title. */
  description?: ReactNode;
  actions?: ReactNode;
  /** The path to this page; the last entry is the page itself and no link. */
  crumbs?: readonly Crumb[] | undefined;
};

export function PageHeader({ title, badge, description, actions, crumbs }: PageHeaderProps) {
  return (
    <header className="mb-6 flex flex-col gap-3 sm:flex-row sm:items-start sm:justify-between sm:gap-6">
      <div className="min-w-0">
        {crumbs !== undefined && <Crumbs crumbs={crumbs} />}
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <h1 className="min-w-0 text-xl font-semibold wrap-anywhere">{title}</h1>
          {badge}
        </div>
        {description !== undefined && <div className="mt-0.5 min-w-0 text-ink-muted">{description}</div>}
      </div>
      {actions !== undefined && <div className="flex shrink-0 flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}

function Crumbs({ crumbs }: { crumbs: readonly Crumb[] }) {
  return (
    <nav aria-label="Breadcrumb" className="mb-2">
      <ol className="flex items-center gap-x-2 text-sm text-ink-muted">
        {crumbs.map(({ label, to }, index) => (
          // The second is a person's own name: however long it is, the path stays one line.
          <li key={label} className="flex shrink-0 items-center gap-2 nth-2:min-w-0 nth-2:shrink">
            {index > 0 && <ChevronRight className="size-3.5 text-ink-faint" />}
            {to === undefined ? (
              <span aria-current="page" dir="auto" className="truncate">
                {label}
              </span>
            ) : (
              <Link to={to} dir="auto" className="-my-1 truncate rounded-tight py-1 hover:text-ink touch:py-3">
                {label}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
