/** Active means trialing or active. Apart from the schemas: a visitor's first page asks it too. */
export function isActiveStatus(status: string): boolean {
  return status === 'trialing' || status === 'active';
}
