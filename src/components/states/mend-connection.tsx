import { Link } from 'wouter';
import type { LostConnection } from '../../../routers/schemas/deployments.ts';
import { PLATFORM_TITLES } from '../../../routers/schemas/platforms/titles.ts';
import { connectionLinks, useReturnState } from '../../lib/connection-links.ts';
import { Button, type ButtonProps } from '../button.tsx';

export type MendConnectionProps = Pick<ButtonProps, 'size'> & {
  lost: Pick<LostConnection, 'provider' | 'connectionId'>;
  /** Names the platform for screen readers, when there are several such buttons. */
  isNamed?: boolean;
};

/** Leads to the remedy for a deployment that cannot be published: another token, or its account anew. */
export function MendConnection({ lost: { provider, connectionId }, size, isNamed = false }: MendConnectionProps) {
  const title = PLATFORM_TITLES[provider];
  const state = useReturnState();
  return (
    <Button variant="primary" size={size} asChild>
      {connectionId === null ? (
        <Link to={connectionLinks.connect(provider)} state={state}>
          Connect {title}
        </Link>
      ) : (
        <Link
          to={connectionLinks.replaceToken(connectionId)}
          state={state}
          aria-label={isNamed ? `Replace token for ${title}` : undefined}
        >
          Replace token
        </Link>
      )}
    </Button>
  );
}
