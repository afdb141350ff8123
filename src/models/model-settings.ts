import { Type } from 'typebox';
import { kvTypes } from '#engine';

/** As of the server (`FANFOLD_ENGINE_SEQUENCES`). */
export const mostSequences = 64;

/** How a model is loaded; of any model, also one of the catalogue that ships. What is left out is as without settings. */
export const SettingsSchema = Type.Object({
  context: Type.Union([
    Type.Object({
      tokens: Type.Integer({ minimum: 1 }),
      chosen_by: Type.Enum(['operator', 'memory']),
      /** Main memory that models might take when it was chosen, and calls at once that it was chosen for. */
      budget_bytes: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
      sequences: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
    }),
    Type.Null(),
  ]),
  /** null: as many as the server is set to, as far as there is memory. */
  sequences: Type.Union([Type.Integer({ minimum: 1, maximum: mostSequences }), Type.Null()]),
  kv: Type.Enum(kvTypes),
});

export type ModelSettings = Type.Static<typeof SettingsSchema>;

export const noSettings: ModelSettings = { context: null, sequences: null, kv: 'f16' };
