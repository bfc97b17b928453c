export function domainCapText(limit: number): string {
  return `This deployment has ${limit === 1 ? 'the one domain' : `all ${limit} domains`} your plan allows.`;
}
