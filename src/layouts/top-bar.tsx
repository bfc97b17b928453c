import { Menu } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { Link, useLocation } from 'react-router';
import { errorToast } from '../api/errors.ts';
import { useUser } from '../api/user.ts';
import { Button } from '../components/button.tsx';
import { classNames } from '../components/class-names.ts';
import { IconButton } from '../components/icon-button.tsx';
import { Mark } from '../components/mark.tsx';
import { showToast } from '../components/toast-store.ts';
import { isAuthScreen, matchesPath, paths } from '../lib/paths.ts';
import { AccountMenuLater } from './account-menu-later.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { topBarLinks } from './top-bar-links.ts';

/** Fetched when it is wanted: a visitor's first page goes without dialogs. */
const loadMenu = async () => ({ default: (await import('./top-bar-menu.tsx')).TopBarMenu });
let TopBarMenu = lazy(loadMenu);

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
          <MobileMenuButton />
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

/** Fetched with the first tap and kept: closing it again can then be animated and gives the focus back. */
function MobileMenuButton() {
  /** Null before the first tap: then its file is fetched, and it stays. */
  const [isOpen, setOpen] = useState<boolean | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <IconButton
        ref={button}
        label="Open menu"
        size="md"
        aria-haspopup="dialog"
        aria-expanded={isOpen === true}
        className="sm:hidden"
        onClick={() => setOpen(true)}
      >
        <Menu className="size-5" />
      </IconButton>
      {isOpen !== null && (
        <ErrorBoundary
          onFailed={(error) => {
            TopBarMenu = lazy(loadMenu);
            setOpen(null);
            showToast(errorToast('Could not open', error));
          }}
        >
          <Suspense fallback={null}>
            <TopBarMenu isOpen={isOpen} onOpenChange={setOpen} opener={button} />
          </Suspense>
        </ErrorBoundary>
      )}
    </>
  );
}
