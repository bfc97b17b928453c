import { Link, useLocation } from 'react-router';
import { useUser } from '../api/user.ts';
import { Button } from '../components/button.tsx';
import { classNames } from '../components/class-names.ts';
import { Mark } from '../components/mark.tsx';
import { isAuthScreen, matchesPath, paths } from '../lib/paths.ts';
import { AccountMenuLater } from './account-menu-later.tsx';
import { menuButtonOf } from './menu-button.tsx';
import { topBarLinks } from './top-bar-links.ts';

const TopBarMenuButton = menuButtonOf(async () => ({ default: (await import('./top-bar-menu.tsx')).TopBarMenu }));

export function TopBar() {
  const { pathname } = useLocation();
  const { user, isLoading } = useUser();
  return (
    <header className="sticky top-0 z-30 border-b border-line bg-surface-raised">
      <div className="flex h-bar items-center gap-2 px-4 sm:px-10">
        <Link
          to={paths.home}
          className="-ml-1 flex shrink-0 items-center gap-2.5 rounded-control p-1 text-lg font-semibold touch:py-2.5"
        >
          <Mark />
          Fairlead
        </Link>
        <nav aria-label="Main" className="ml-6 flex items-center gap-1 max-sm:hidden">
          {topBarLinks.map(({ to, label }) => (
            <BarLink key={to} to={to} label={label} isCurrent={matchesPath(to, pathname)} />
          ))}
        </nav>
        <div className="ml-auto flex items-center gap-2">
          {/* Empty until it is known who looks, so that no button turns into another. */}
          {!isLoading && user === null && <VisitorButtons pathname={pathname} />}
          {user !== null && <AccountMenuLater user={user} look="icon" />}
          <TopBarMenuButton className="sm:hidden" />
        </div>
      </div>
    </header>
  );
}

function BarLink({ to, label, isCurrent }: { to: string; label: string; isCurrent: boolean }) {
  return (
    <Link
      to={to}
      aria-current={isCurrent ? 'page' : undefined}
      className={classNames(
        'flex h-control items-center rounded-control px-3 transition-colors hover:bg-surface-hover hover:text-ink',
        isCurrent ? 'bg-surface-sunken font-medium text-ink' : 'text-ink-muted',
      )}
    >
      {label}
    </Link>
  );
}

function VisitorButtons({ pathname }: { pathname: string }) {
  const isRegister = matchesPath(paths.register, pathname);
  const isLogin = isAuthScreen(pathname) && !isRegister;
  return (
    <>
      <Button asChild variant="quiet" className="max-sm:hidden">
        <Link to={paths.login} aria-current={isLogin ? 'page' : undefined}>
          Login
        </Link>
      </Button>
      <Button asChild variant="primary" className="max-sm:hidden">
        <Link to={paths.register} aria-current={isRegister ? 'page' : undefined}>
          Register
        </Link>
      </Button>
    </>
  );
}
