import { Link, useLocation } from 'react-router';
import { useUser } from '../api/user.ts';
import { classNames } from '../components/class-names.ts';
import { Sheet } from '../components/sheet.tsx';
import { matchesPath, paths } from '../lib/paths.ts';
import type { MenuProps } from './menu-button.tsx';
import { topBarLinks } from './top-bar-links.ts';
import { useCloseOnNavigation } from './use-close-on-navigation.ts';

/** The top bar's links on a small screen; closes on a tap and on every change of route. */
export function TopBarMenu({ isOpen, onOpenChange, opener }: MenuProps) {
  const { pathname } = useLocation();
  const { user } = useUser();
  const links =
    user === null
      ? [...topBarLinks, { to: paths.login, label: 'Login' }, { to: paths.register, label: 'Register' }]
      : topBarLinks;

  useCloseOnNavigation(() => onOpenChange(false));

  return (
    <Sheet isOpen={isOpen} onOpenChange={onOpenChange} title="Fairlead" opener={opener}>
      <nav aria-label="Main" className="flex flex-col p-3">
        {links.map(({ to, label }) => {
          const isCurrent = matchesPath(to, pathname);
          return (
            <Link
              key={to}
              to={to}
              onClick={() => onOpenChange(false)}
              aria-current={isCurrent ? 'page' : undefined}
              className={classNames(
                'flex h-11 items-center rounded-control px-3 text-base hover:bg-surface-hover',
                isCurrent ? 'font-medium text-ink' : 'text-ink-muted',
              )}
            >
              {label}
            </Link>
          );
        })}
      </nav>
    </Sheet>
  );
}
