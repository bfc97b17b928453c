// The peer of the start: what Express, tRPC and mongoose cost by themselves, unbundled, with 24 models as ours will have.
import { initTRPC } from '@trpc/server';
import { createExpressMiddleware } from '@trpc/server/adapters/express';
import express from 'express';
import mongoose from 'mongoose';
import superjson from 'superjson';
import * as z from 'zod';

const MODELS = 24;
mongoose.set('autoIndex', false);
mongoose.set('autoCreate', false);

const models = Array.from({ length: MODELS }, (_, number) => {
  const schema = new mongoose.Schema(
    {
      accountId: { type: String, required: true },
      name: { type: String, required: true },
      state: { type: String, enum: ['one', 'two', 'three'], required: true },
      count: { type: Number, default: 0 },
      note: { type: String, default: null },
      at: { type: Date, default: null },
    },
    { timestamps: true, collection: `peer_${number}` },
  );
  schema.index({ accountId: 1, createdAt: -1 });
  return mongoose.model(`Peer${number}`, schema);
});

await mongoose.connect(process.env.MONGODB_URI);
await Promise.all(
  models.map(async (model) => {
    await model.createCollection();
    await model.syncIndexes();
  }),
);

const trpc = initTRPC.create({ transformer: superjson });
const router = trpc.router({
  health: trpc.procedure.output(z.object({ isUp: z.boolean() })).query(() => ({ isUp: true })),
});
const app = express();
app.use('/api/trpc', createExpressMiddleware({ router }));
app.get('/api/health', (_request, response) => void response.json({ status: 'ok' }));
app.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
