import { Tooltip as RadixTooltip } from 'radix-ui';
import { createContext, type ReactNode, useContext } from 'react';
import { TOOLTIP_DELAY_MS, TOOLTIP_SKIP_DELAY_MS } from '../../routers/schemas/limits.ts';

const HasProvider = createContext(false);

/** Around what has several tooltips: after the first, the next opens without the delay (specification, section 9). */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <RadixTooltip.Provider delayDuration={TOOLTIP_DELAY_MS} skipDelayDuration={TOOLTIP_SKIP_DELAY_MS}>
      <HasProvider value>{children}</HasProvider>
    </RadixTooltip.Provider>
  );
}

export type TooltipProps = {
  content: ReactNode;
  side?: 'top' | 'right' | 'bottom' | 'left' | undefined;
  /** One element that can take a ref, a name of its own and the focus. */
  children: ReactNode;
};

export function Tooltip({ content, side = 'top', children }: TooltipProps) {
  const hasProvider = useContext(HasProvider);
  const tooltip = (
    <RadixTooltip.Root>
      <RadixTooltip.Trigger asChild>{children}</RadixTooltip.Trigger>
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
  );
  return hasProvider ? tooltip : <TooltipProvider>{tooltip}</TooltipProvider>;
}
