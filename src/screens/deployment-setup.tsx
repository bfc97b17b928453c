import { useParams } from 'wouter';
import { PLATFORM_CAPABILITIES } from '../../routers/schemas/platforms/capabilities/index.ts';
import {
  CONNECTION_PROVIDERS,
  type ConnectionProvider,
  HOSTING_PLATFORMS,
} from '../../routers/schemas/platforms/ids.ts';
import { ConnectionCard } from '../features/connections/connection-card.tsx';
import { PlatformSetup } from '../features/deployments/setup/platform-setup.tsx';
import { NotFoundScreen } from './not-found.tsx';

/** Serves /deployment-setup/{platform} and /deploy/{platform} with one page. */
export function DeploymentSetupScreen() {
  const { platform: id } = useParams();
  const platform = HOSTING_PLATFORMS.find((known) => known === id);
  if (platform === undefined) return <NotFoundScreen />;
  const providers: ConnectionProvider[] = [
    ...CONNECTION_PROVIDERS.filter((known) => known === platform),
    ...(PLATFORM_CAPABILITIES[platform]?.furtherConnections ?? []).map(({ provider }) => provider),
  ];
  const connections = providers.map((provider) => <ConnectionCard key={provider} provider={provider} />);
  return <PlatformSetup platform={platform} connections={connections} />;
}
