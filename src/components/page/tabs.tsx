import { createContext, type ReactNode, useContext, useId } from 'react';
import { classNames } from '../class-names.ts';
import { useTabKeys } from './tab-keys.ts';

export type TabsProps<Value extends string> = {
  label: string;
  /** The tab that the address names; the caller changes the address in `onChange`. */
  value: Value;
  onChange: (value: Value) => void;
  tabs: readonly { value: Value; label: string; count?: number | undefined }[];
  /** One `TabPanel` for each tab. */
  children: ReactNode;
  className?: string | undefined;
};

const Chosen = createContext<{ value: string; id: string }>({ value: '', id: '' });

/** Switches between parts of one page. The address holds the chosen tab, which the caller changes. */
export function Tabs<Value extends string>({ label, value, onChange, tabs, children, className }: TabsProps<Value>) {
  const id = useId();
  const keys = useTabKeys(
    tabs.map((tab) => tab.value),
    value,
    onChange,
  );
  return (
    <Chosen value={{ value, id }}>
      <div className={className}>
        <div role="tablist" aria-label={label} className="flex gap-6 overflow-x-auto border-b border-line">
          {tabs.map((tab) => (
            <button
              key={tab.value}
              {...keys.of(tab.value)}
              type="button"
              role="tab"
              id={`${id}-tab-${tab.value}`}
              // The attribute is absent while its panel is.
              aria-controls={tab.value === value ? `${id}-panel` : undefined}
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

/** The content of one tab, while it is the chosen one. */
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
