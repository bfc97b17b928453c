import type { Certificate } from '../../routers/schemas/certificates.ts';
import type { CheckedRecord, Domain } from '../../routers/schemas/domains.ts';

/** Answers of a server to a screen of a domain: shop.example of the deployment harbour, proved and waiting for DNS. */

const AT = new Date('2026-11-20T12:00:00Z');

export function recordOf(changes: Partial<CheckedRecord> = {}): CheckedRecord {
  return {
    type: 'A',
    name: 'shop.example',
    value: '203.0.113.7',
    ttl: 300,
    purpose: 'route',
    required: true,
    alternativeGroup: null,
    state: 'missing',
    seen: [],
    ...changes,
  };
}

export function answerOf(
  server: string,
  values: string[] | null,
  error: string | null = null,
): CheckedRecord['seen'][number] {
  return { server, address: '198.51.100.1', isAuthority: true, values, ttl: 300, error };
}

export function domainOf(changes: Partial<Domain> = {}): Domain {
  return {
    id: 'shop',
    deploymentId: 'harbour',
    name: 'shop.example',
    counterpart: 'www.shop.example',
    servedName: 'shop.example',
    url: 'https://shop.example',
    state: 'pending_dns',
    proof: { type: 'TXT', name: '_fairlead.shop.example', value: 'fairlead=abc' },
    records: [recordOf()],
    pointedNames: [],
    problem: null,
    atPlatform: null,
    provedAt: AT,
    activeSince: null,
    checkedAt: AT,
    nextCheckAt: null,
    expiresAt: null,
    createdAt: AT,
    changedAt: AT,
    ...changes,
  };
}

export function certificateOf(changes: Partial<Certificate> = {}): Certificate {
  return {
    id: 'shop',
    domainId: 'shop',
    names: ['shop.example', 'www.shop.example'],
    state: 'issued',
    serial: '0a',
    issuer: "Let's Encrypt",
    isPublic: true,
    notBefore: AT,
    notAfter: new Date('2126-02-18T12:00:00Z'),
    renewAt: null,
    problem: null,
    nextTryAt: null,
    rehearsal: null,
    createdAt: AT,
    ...changes,
  };
}
