import type { ReactNode } from 'react';
import { classNames } from '../../components/class-names.ts';
import { useTabKeys } from '../../components/page/tab-keys.ts';

const TABS = ['login', 'register'] as const;
export type AuthTab = (typeof TABS)[number];

const labels: Record<AuthTab, string> = { login: 'Login', register: 'Register' };

export type AuthTabsProps = { value: AuthTab; onChange: (value: AuthTab) => void; children: ReactNode };

/** The two tabs of the sign-in screen, each half of the card's width. */
export function AuthTabs({ value, onChange, children }: AuthTabsProps) {
  const keys = useTabKeys(TABS, value, onChange);
  return (
    <>
      <div
        role="tablist"
        aria-label="Login or register"
        className="mb-6 grid auto-cols-fr grid-flow-col gap-1 rounded-card bg-surface-sunken p-0.5"
      >
        {TABS.map((tab) => (
          <button
            key={tab}
            {...keys.of(tab)}
            type="button"
            role="tab"
            id={`tab-${tab}`}
            aria-controls="tab-panel"
            className={classNames(
              'h-control rounded-control border font-medium transition-colors',
              tab === value
                ? 'border-line bg-surface-raised text-ink'
                : 'border-transparent text-ink-muted hover:text-ink',
            )}
          >
            {labels[tab]}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="tab-panel" aria-labelledby={`tab-${value}`}>
        {children}
      </div>
    </>
  );
}
