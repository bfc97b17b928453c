import { deepEqual } from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { openDns } from '../support/standins/dns-world.ts';
import { OURS } from '../support/standins/held-zones.ts';
import { KEY, route53UnderTest } from '../support/standins/route53/index.ts';
import type { Client } from './run.ts';

type Command = new (input: Record<string, unknown>) => unknown;
type Api = { send(command: unknown): Promise<unknown> };
type ApiClass = new (options: {
  region: string;
  endpoint: string;
  credentials: typeof KEY;
  maxAttempts: number;
}) => Api;
const commandSchema = z.custom<Command>((value) => typeof value === 'function');
const moduleSchema = z.object({
  Route53Client: z.custom<ApiClass>((value) => typeof value === 'function'),
  ListHostedZonesCommand: commandSchema,
  ListResourceRecordSetsCommand: commandSchema,
  ChangeResourceRecordSetsCommand: commandSchema,
  GetChangeCommand: commandSchema,
});
const zonesSchema = z.object({
  HostedZones: z.array(z.object({ Id: z.string(), Name: z.string(), Config: z.object({ PrivateZone: z.boolean() }) })),
});
const setSchema = z.object({
  Name: z.string(),
  Type: z.string(),
  TTL: z.number(),
  ResourceRecords: z.array(z.object({ Value: z.string() })),
});
const setsSchema = z.object({ ResourceRecordSets: z.array(setSchema), IsTruncated: z.boolean() });
const changeSchema = z.object({ ChangeInfo: z.object({ Id: z.string(), Status: z.string() }) });
const WILD = `*.${OURS}`;

/** AWS's own client for Node: its signatures are taken, and it reads what our adapter writes, and the other way round. */
export const route53Client: Client = {
  name: 'route53',
  packages: ['@aws-sdk/client-route-53@3.1169.0'],
  async publish(installed) {
    await using subject = await openDns(route53UnderTest);
    const aws = moduleSchema.parse(createRequire(join(installed, 'client.js'))('@aws-sdk/client-route-53'));
    const endpoint = subject.standIn.apiUrl;
    const api = new aws.Route53Client({ region: 'us-east-1', endpoint, credentials: KEY, maxAttempts: 1 });
    const { HostedZones: zones } = zonesSchema.parse(await api.send(new aws.ListHostedZonesCommand({})));
    const id = zones.find(({ Name: name }) => name === `${OURS}.`)?.Id.replace('/hostedzone/', '');

    await subject.write([
      { type: 'TXT', name: WILD, before: null, after: { ttl: 300, values: ['a "quoted" text', 'y'.repeat(300)] } },
      { type: 'A', name: WILD, before: null, after: { ttl: 60, values: ['192.0.2.1', '192.0.2.2'] } },
    ]);
    const start = { HostedZoneId: id, StartRecordName: '\\052.ours.test.', MaxItems: 2 };
    const { ResourceRecordSets: sets } = setsSchema.parse(await api.send(new aws.ListResourceRecordSetsCommand(start)));
    deepEqual(
      sets.map((set) => [set.Name, set.Type, set.TTL, set.ResourceRecords.map(({ Value: value }) => value)]),
      [
        ['\\052.ours.test.', 'A', 60, ['192.0.2.1', '192.0.2.2']],
        ['\\052.ours.test.', 'TXT', 300, ['"a \\"quoted\\" text"', `"${'y'.repeat(255)}" "${'y'.repeat(45)}"`]],
      ],
    );

    subject.standIn.state.looksUntilInSync = 1;
    const records = [{ Value: '"it\'s <here> & there"' }];
    const set = { Name: '*.ours.test.', Type: 'TXT', TTL: 120, ResourceRecords: records };
    const batch = { HostedZoneId: id, ChangeBatch: { Changes: [{ Action: 'UPSERT', ResourceRecordSet: set }] } };
    const { ChangeInfo: begun } = changeSchema.parse(await api.send(new aws.ChangeResourceRecordSetsCommand(batch)));
    deepEqual(begun.Status, 'PENDING');
    const asked = new aws.GetChangeCommand({ Id: begun.Id.replace('/change/', '') });
    deepEqual(changeSchema.parse(await api.send(asked)).ChangeInfo.Status, 'INSYNC');
    deepEqual(
      (await subject.read(WILD)).map(({ type, ttl, values }) => [type, ttl, values]),
      [
        ['A', 60, ['192.0.2.1', '192.0.2.2']],
        ['TXT', 120, ["it's <here> & there"]],
      ],
    );
    const refused: unknown = await api
      .send(new aws.ChangeResourceRecordSetsCommand({ ...batch, HostedZoneId: 'ZNONE' }))
      .catch((error: unknown) => error);
    deepEqual(refused instanceof Error && refused.name, 'NoSuchHostedZone');
    deepEqual(subject.standIn.drift, []);
  },
};
