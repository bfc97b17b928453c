import { AtSign } from 'lucide-react';
import { Link } from 'wouter';
import { Button } from '../../components/button.tsx';
import { paths } from '../../lib/paths.ts';

/** Shown in place of the addresses while no deployment has one. */
export const NO_ADDRESSES = {
  icon: AtSign,
  text: 'No addresses yet. Each deployment gets one as soon as you give it a name.',
  action: (
    <Button variant="primary" asChild>
      <Link to={paths.newDeployment}>New deployment</Link>
    </Button>
  ),
};
