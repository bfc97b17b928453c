import { Slot } from 'radix-ui';
import { createContext, type ReactNode, useContext } from 'react';
import { later } from '../lib/later.ts';
import { useLaterTrigger } from './later-trigger.ts';
import type { MenuChoiceProps, MenuItemProps } from './menu-parts.tsx';

export type { MenuChoiceProps, MenuItemProps };

/** The library behind it places, locks and traps: a sixth of a page, and of no use before the first paint. */
const menuParts = later(() => import('./menu-parts.tsx'));
const Parts = createContext<typeof import('./menu-parts.tsx') | null>(null);

export type MenuProps = {
  /** The button that opens it; it names itself. */
  trigger: ReactNode;
  align?: 'start' | 'center' | 'end' | undefined;
  side?: 'top' | 'bottom' | undefined;
  children: ReactNode;
};

export function Menu({ trigger, align = 'end', side = 'bottom', children }: MenuProps) {
  const { part, isOpenAtFirst, trigger: triggerRef, standIn } = useLaterTrigger(menuParts);
  if (part === null) {
    return (
      <Slot.Root ref={triggerRef} aria-haspopup="menu" {...standIn}>
        {trigger}
      </Slot.Root>
    );
  }
  return (
    <Parts value={part}>
      <part.MenuPart trigger={trigger} triggerRef={triggerRef} isOpenAtFirst={isOpenAtFirst} align={align} side={side}>
        {children}
      </part.MenuPart>
    </Parts>
  );
}

/** An entry; with `asChild` around a link it is that link. */
export function MenuItem(props: MenuItemProps) {
  const parts = useContext(Parts);
  return parts && <parts.ItemPart {...props} />;
}

export function MenuLabel({ children }: { children: ReactNode }) {
  const parts = useContext(Parts);
  return parts && <parts.LabelPart>{children}</parts.LabelPart>;
}

export function MenuSeparator() {
  const parts = useContext(Parts);
  return parts && <parts.SeparatorPart />;
}

/** Below a line at the foot of the menu, always in sight. */
export function MenuFooter({ children }: { children: ReactNode }) {
  const parts = useContext(Parts);
  return parts && <parts.FooterPart>{children}</parts.FooterPart>;
}

/** One of a few, as entries that are marked. */
export function MenuChoice<Value extends string>(props: MenuChoiceProps<Value>) {
  const parts = useContext(Parts);
  return parts && <parts.ChoicePart {...props} />;
}
