import { Link } from 'react-router';
import { paths } from '../../lib/paths.ts';

/** A new password ends browsers, not scripts. */
export function TokensKept({ className }: { className?: string | undefined }) {
  return (
    <p className={className}>
      API tokens keep working. Revoke those that somebody else may have in{' '}
      <Link to={paths.settings} className="font-medium text-accent underline underline-offset-4">
        Settings
      </Link>
      .
    </p>
  );
}
