import { Tabs as RadixTabs } from 'radix-ui';
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

export type TabsProps<Value extends string> = {
  label: string;
  /** The tab that the address names; the caller changes the address in `onChange`. */
  value: Value;
  onChange: (value: Value) => void;
  tabs: readonly { value: Value; label: string; count?: number | undefined }[];
  /** `line`: parts of a page; `segmented`: two or three ways of the same thing. */
  look?: 'line' | 'segmented' | undefined;
  /** The `TabPanel`s. */
  children: ReactNode;
  className?: string | undefined;
};

const looks = {
  line: {
    list: 'flex gap-6 overflow-x-auto border-b border-line',
    tab: '-mb-px h-control shrink-0 border-b-2 border-transparent px-0.5 font-medium text-ink-muted transition-colors hover:text-ink focus-visible:-outline-offset-2 data-[state=active]:border-accent data-[state=active]:text-ink',
  },
  segmented: {
    list: 'grid auto-cols-fr grid-flow-col gap-1 rounded-card bg-surface-sunken p-0.5',
    tab: 'h-control rounded-control border border-transparent font-medium text-ink-muted transition-colors hover:text-ink data-[state=active]:border-line data-[state=active]:bg-surface-raised data-[state=active]:text-ink',
  },
};

export function Tabs<Value extends string>({
  label,
  value,
  onChange,
  tabs,
  look = 'line',
  children,
  className,
}: TabsProps<Value>) {
  return (
    <RadixTabs.Root
      value={value}
      onValueChange={(next) => {
        const chosen = tabs.find((tab) => tab.value === next);
        if (chosen) onChange(chosen.value);
      }}
      className={className}
    >
      <RadixTabs.List aria-label={label} className={looks[look].list}>
        {tabs.map((tab) => (
          <RadixTabs.Trigger key={tab.value} value={tab.value} className={looks[look].tab}>
            {tab.label}
            {tab.count !== undefined && <span className="ml-1.5 text-ink-faint tabular-nums">{tab.count}</span>}
          </RadixTabs.Trigger>
        ))}
      </RadixTabs.List>
      {children}
    </RadixTabs.Root>
  );
}

export function TabPanel({
  value,
  children,
  className,
}: {
  value: string;
  children: ReactNode;
  className?: string | undefined;
}) {
  return (
    <RadixTabs.Content value={value} className={classNames('pt-6', className)}>
      {children}
    </RadixTabs.Content>
  );
}
