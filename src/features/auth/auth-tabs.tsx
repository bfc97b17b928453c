import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { classNames } from '../../components/class-names.ts';

export type AuthTab = 'login' | 'register';

const tabs: readonly { value: AuthTab; label: string }[] = [
  { value: 'login', label: 'Login' },
  { value: 'register', label: 'Register' },
];

const TAB_OF_KEY: Readonly<Record<string, AuthTab | undefined>> = {
  ArrowLeft: 'login',
  Home: 'login',
  ArrowRight: 'register',
  End: 'register',
};

export type AuthTabsProps = { value: AuthTab; onChange: (value: AuthTab) => void; children: ReactNode };

/**
 * The two tabs of the sign-in screen, by the tab pattern of the ARIA practices: arrow keys move and switch. Without the
 * library behind the other tabs, which would be a tenth of this screen (performance facts, section 8).
 */
export function AuthTabs({ value, onChange, children }: AuthTabsProps) {
  const buttons = useRef(new Map<AuthTab, HTMLButtonElement>());

  function move(event: KeyboardEvent) {
    const next = TAB_OF_KEY[event.key];
    if (next === undefined) return;
    event.preventDefault();
    buttons.current.get(next)?.focus();
    if (next !== value) onChange(next);
  }

  return (
    <>
      <div
        role="tablist"
        aria-label="Login or register"
        className="mb-6 grid auto-cols-fr grid-flow-col gap-1 rounded-card bg-surface-sunken p-0.5"
      >
        {tabs.map((tab) => (
          <button
            key={tab.value}
            ref={(element) => {
              if (element !== null) buttons.current.set(tab.value, element);
            }}
            type="button"
            role="tab"
            id={`tab-${tab.value}`}
            aria-selected={tab.value === value}
            aria-controls="tab-panel"
            tabIndex={tab.value === value ? 0 : -1}
            onKeyDown={move}
            onClick={() => onChange(tab.value)}
            className={classNames(
              'h-control rounded-control border font-medium transition-colors',
              tab.value === value
                ? 'border-line bg-surface-raised text-ink'
                : 'border-transparent text-ink-muted hover:text-ink',
            )}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="tab-panel" aria-labelledby={`tab-${value}`}>
        {children}
      </div>
    </>
  );
}
