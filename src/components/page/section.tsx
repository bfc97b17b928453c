import { type ReactNode, useEffect } from 'react';
import { useAddress, useVisit } from '../../lib/browser/location.ts';

export type SectionProps = {
  title: string;
  /** The number of things in the section, beside the title. */
  count?: number | undefined;
  description: ReactNode;
  /** The button that adds to it. */
  action?: ReactNode;
  children: ReactNode;
};

/** Returns the place of a section in the address of its screen. */
export function sectionId(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-');
}

/**
 * A part of a screen of settings: its subject on the left, its card beside it, or below if there is no room. A link to
 * it scrolls there.
 */
export function Section({ title, count, description, action, children }: SectionProps) {
  const id = sectionId(title);
  const { hash } = useAddress();
  const visit = useVisit();
  // biome-ignore lint/correctness/useExhaustiveDependencies: pressing the same link again leads there again
  useEffect(() => {
    if (hash === `#${id}`) document.getElementById(id)?.scrollIntoView();
  }, [hash, visit]);
  return (
    <section
      aria-labelledby={id}
      className="grid grid-cols-1 gap-x-10 gap-y-3 border-t border-line pt-6 first:border-t-0 first:pt-0 xl:grid-cols-[15rem_minmax(0,1fr)] xl:pt-8"
    >
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 xl:flex-col xl:justify-start">
        <div className="min-w-0 max-xl:flex-1 max-xl:basis-60">
          <h2 id={id} className="scroll-mt-20 font-semibold">
            {title}
            {count !== undefined && <span className="ml-2 font-normal text-ink-faint tabular-nums">{count}</span>}
          </h2>
          <div className="mt-1 text-sm text-ink-muted text-pretty">{description}</div>
        </div>
        {action}
      </div>
      {children}
    </section>
  );
}
