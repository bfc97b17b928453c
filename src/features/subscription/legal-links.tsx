import { Link } from 'wouter';
import { classNames } from '../../components/class-names.ts';
import { paths } from '../../lib/paths/paths.ts';

const pages = [
  { to: paths.subscriptionTerms, label: 'Terms' },
  { to: paths.subscriptionPrivacy, label: 'Privacy' },
  { to: paths.subscriptionRefunds, label: 'Refunds' },
] as const;

/** Links to the terms for users and buyers. */
export function LegalLinks({ className }: { className?: string }) {
  return (
    <ul aria-label="Terms, privacy and refunds" className={classNames('flex flex-wrap gap-x-5 text-sm', className)}>
      {pages.map(({ to, label }) => (
        <li key={to}>
          <Link
            to={to}
            className="inline-block py-1 text-ink-muted underline underline-offset-4 hover:text-ink touch:py-3"
          >
            {label}
          </Link>
        </li>
      ))}
    </ul>
  );
}
