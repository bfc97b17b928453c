import { useParams } from 'react-router';
import { HOSTING_PLATFORMS } from '../../routers/schemas/platforms/ids.ts';
import { PlatformSetup } from '../features/deployments/platform-setup.tsx';
import { NotFoundScreen } from './not-found.tsx';

/** /deployment-setup/{platform} and /deploy/{platform}: one page (specification, section 2). */
export function DeploymentSetupScreen() {
  const { platform: id } = useParams();
  const platform = HOSTING_PLATFORMS.find((known) => known === id);
  return platform === undefined ? <NotFoundScreen /> : <PlatformSetup platform={platform} />;
}
