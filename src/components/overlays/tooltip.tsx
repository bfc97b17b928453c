import { Tooltip as RadixTooltip } from 'radix-ui';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { TOOLTIP_DELAY_MS, TOOLTIP_SKIP_DELAY_MS } from '../../../routers/schemas/limits.ts';

export type TooltipProps = {
  content: ReactNode;
  side?: 'top' | 'right' | 'bottom' | 'left' | undefined;
  /** One element that can take a ref, a name of its own and the focus. */
  children: ReactNode;
};

/**
 * Until this time the next tooltip opens at once: while another is open, and for a moment after it closed. Radix
 * counts this by one provider around all tooltips, which would put the library on pages that have none.
 */
let opensAtOnceUntil = Number.NEGATIVE_INFINITY;

function noteOpen(isOpen: boolean): void {
  opensAtOnceUntil = isOpen ? Number.POSITIVE_INFINITY : performance.now() + TOOLTIP_SKIP_DELAY_MS;
}

function delayNow(): number {
  return performance.now() < opensAtOnceUntil ? 0 : TOOLTIP_DELAY_MS;
}

export function Tooltip({ content, side = 'top', children }: TooltipProps) {
  const [delayMs, setDelayMs] = useState(TOOLTIP_DELAY_MS);
  const isOpen = useRef(false);
  const reportOpen = (isOpenNow: boolean): void => {
    isOpen.current = isOpenNow;
    noteOpen(isOpenNow);
  };
  useEffect(
    () => () => {
      if (isOpen.current) noteOpen(false);
    },
    [],
  );
  return (
    <RadixTooltip.Provider>
      <RadixTooltip.Root delayDuration={delayMs} onOpenChange={reportOpen}>
        {/* The first move, which starts the delay, follows the entry at once. */}
        <RadixTooltip.Trigger asChild onPointerEnter={() => flushSync(() => setDelayMs(delayNow()))}>
          {children}
        </RadixTooltip.Trigger>
        <RadixTooltip.Portal>
          <RadixTooltip.Content
            side={side}
            sideOffset={6}
            collisionPadding={8}
            className="z-50 max-w-80 animate-appear rounded-control bg-ink px-2 py-1 text-xs break-words text-surface"
          >
            {content}
          </RadixTooltip.Content>
        </RadixTooltip.Portal>
      </RadixTooltip.Root>
    </RadixTooltip.Provider>
  );
}
