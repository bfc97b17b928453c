import { model, Schema } from 'mongoose';

/** A migration that has run; its number is the document's id. */
const migrationSchema = new Schema(
  {
    _id: { type: Number, required: true },
    name: { type: String, required: true },
    ranAt: { type: Date, required: true },
  },
  { collection: 'migrations' },
);

export const MigrationModel = model('Migration', migrationSchema);
