import { createContext, type KeyboardEvent, type ReactNode, useContext, useId, useRef } from 'react';
import { classNames } from './class-names.ts';

export type TabsProps<Value extends string> = {
  label: string;
  /** The tab that the address names; the caller changes the address in `onChange`. */
  value: Value;
  onChange: (value: Value) => void;
  tabs: readonly { value: Value; label: string; count?: number | undefined }[];
  /** The `TabPanel`s. */
  children: ReactNode;
  className?: string | undefined;
};

const Chosen = createContext<{ value: string; id: string }>({ value: '', id: '' });

/** Where each key leads among so many tabs, by the tab pattern of the ARIA practices; undefined for any other key. */
function target(key: string, index: number, count: number): number | undefined {
  if (key === 'ArrowRight') return (index + 1) % count;
  if (key === 'ArrowLeft') return (index - 1 + count) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

/** Parts of a page. One tab is in the order of the keyboard; arrows, Home and End move and switch. */
export function Tabs<Value extends string>({ label, value, onChange, tabs, children, className }: TabsProps<Value>) {
  const id = useId();
  const buttons = useRef(new Map<Value, HTMLButtonElement>());

  function move(event: KeyboardEvent) {
    const index = target(
      event.key,
      tabs.findIndex((tab) => tab.value === value),
      tabs.length,
    );
    const next = index === undefined ? undefined : tabs[index];
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    buttons.current.get(next.value)?.focus();
    if (next.value !== value) onChange(next.value);
  }

  return (
    <Chosen value={{ value, id }}>
      <div className={className}>
        <div role="tablist" aria-label={label} className="flex gap-6 overflow-x-auto border-b border-line">
          {tabs.map((tab) => (
            <button
              key={tab.value}
              ref={(element) => {
                if (element !== null) buttons.current.set(tab.value, element);
              }}
              type="button"
              role="tab"
              id={`${id}-tab-${tab.value}`}
              aria-selected={tab.value === value}
              // Of a panel that is not there nothing can be said.
              aria-controls={tab.value === value ? `${id}-panel` : undefined}
              tabIndex={tab.value === value ? 0 : -1}
              onKeyDown={move}
              onClick={() => onChange(tab.value)}
              className={classNames(
                '-mb-px h-control shrink-0 border-b-2 px-0.5 font-medium transition-colors focus-visible:-outline-offset-2',
                tab.value === value ? 'border-accent text-ink' : 'border-transparent text-ink-muted hover:text-ink',
              )}
            >
              {tab.label}
              {tab.count !== undefined && <span className="ml-1.5 text-ink-faint tabular-nums">{tab.count}</span>}
            </button>
          ))}
        </div>
        {children}
      </div>
    </Chosen>
  );
}

export type TabPanelProps = { value: string; children: ReactNode; className?: string | undefined };

/** What belongs to one tab, while it is the chosen one. */
export function TabPanel({ value, children, className }: TabPanelProps) {
  const chosen = useContext(Chosen);
  if (value !== chosen.value) return null;
  return (
    <div
      role="tabpanel"
      id={`${chosen.id}-panel`}
      aria-labelledby={`${chosen.id}-tab-${value}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard goes on from the tab to its panel (ARIA practices, tabs)
      tabIndex={0}
      className={classNames('rounded-control pt-6', className)}
    >
      {children}
    </div>
  );
}
