import { DropdownMenu } from 'radix-ui';
import type { ComponentProps, ReactNode } from 'react';
import { classNames } from '../class-names.ts';

export type MenuProps = {
  /** The button that opens it, with a name of its own. */
  trigger: ReactNode;
  align?: 'start' | 'center' | 'end' | undefined;
  side?: 'top' | 'bottom' | 'left' | undefined;
  children: ReactNode;
};

export function Menu({ trigger, align = 'end', side = 'bottom', children }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-48 animate-appear scroll-pb-33 touch:scroll-pb-37 overflow-y-auto rounded-card bg-surface-raised p-1 shadow-float"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

const itemLook =
  'flex h-9 items-center gap-2.5 rounded-control px-2.5 text-base outline-none select-none data-disabled:opacity-50 data-highlighted:bg-surface-hover touch:h-11 [&_.lucide]:text-ink-muted';

export type MenuItemProps = Omit<ComponentProps<typeof DropdownMenu.Item>, 'className'> & {
  isDestructive?: boolean | undefined;
};

/** An entry of a menu. With `asChild` around a link, the entry is that link. */
export function MenuItem({ isDestructive = false, ...rest }: MenuItemProps) {
  return (
    <DropdownMenu.Item {...rest} className={classNames(itemLook, isDestructive && 'text-bad [&_.lucide]:text-bad')} />
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <DropdownMenu.Label className="px-2.5 py-1.5 text-xs text-ink-muted">{children}</DropdownMenu.Label>;
}

export function MenuSeparator() {
  return <DropdownMenu.Separator className="mx-1 my-1 h-px bg-line" />;
}

/**
 * The last entries, which stay visible when the window is too low for the menu and the others scroll: they fade out
 * above these while there are more.
 */
export function MenuFooter({ children }: { children: ReactNode }) {
  return (
    <DropdownMenu.Group className="more-above sticky -bottom-1 -mx-1 -mb-1 bg-surface-raised px-1 pb-1">
      <MenuSeparator />
      {children}
    </DropdownMenu.Group>
  );
}

export type MenuChoiceProps<Value extends string> = {
  label: string;
  value: Value;
  choices: readonly { value: Value; title: string }[];
  onChange: (value: Value) => void;
};

/** One choice of a few, beside one another. The menu stays open, so that the choice is seen. */
export function MenuChoice<Value extends string>({ label, value, choices, onChange }: MenuChoiceProps<Value>) {
  return (
    <DropdownMenu.RadioGroup
      aria-label={label}
      value={value}
      className="mx-1.5 mb-1 grid auto-cols-fr grid-flow-col gap-1 rounded-card bg-surface-sunken p-0.5"
    >
      {choices.map((choice) => (
        <DropdownMenu.RadioItem
          key={choice.value}
          value={choice.value}
          onSelect={(event) => {
            event.preventDefault();
            onChange(choice.value);
          }}
          className="flex h-8 items-center justify-center rounded-control border border-transparent px-2 text-sm text-ink-muted outline-none select-none data-highlighted:bg-surface-hover data-highlighted:text-ink data-[state=checked]:border-line not-data-highlighted:data-[state=checked]:bg-surface-raised data-[state=checked]:font-medium data-[state=checked]:text-ink touch:h-11"
        >
          {choice.title}
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}
