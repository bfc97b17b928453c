/** Active means trialing or active. It is apart from the schemas because a visitor's first page needs it too. */
export function isActiveStatus(status: string): boolean {
  return status === 'trialing' || status === 'active';
}
