import { Sheet } from '../components/sheet.tsx';
import type { MenuProps } from './menu-button.tsx';
import { NavGroups } from './nav-list.tsx';
import { mobileGroups } from './navigation.ts';
import { useCloseOnNavigation } from './use-close-on-navigation.ts';

/** Main, Deployments and Configuration only; closes on a tap and on every change of route (specification, section 2). */
export function MobileMenu({ isOpen, onOpenChange, opener }: MenuProps) {
  useCloseOnNavigation(() => onOpenChange(false));

  return (
    <Sheet isOpen={isOpen} onOpenChange={onOpenChange} title="Fairlead" opener={opener}>
      <nav aria-label="Main" className="flex flex-col gap-5 p-3">
        <NavGroups groups={mobileGroups} onNavigate={() => onOpenChange(false)} />
      </nav>
    </Sheet>
  );
}
