import type { JobFields, Range, Ranges } from './new-job-fields.ts';

export const presets = ['quick', 'balanced', 'thorough'] as const;
export type Preset = (typeof presets)[number];

type PresetFields = Pick<JobFields, 'settings' | 'early_stopping_patience'>;

/** How many times the default a preset takes. */
const factors: Record<Preset, { epochs: number; rank: number }> = {
  quick: { epochs: 0.5, rank: 0.5 },
  balanced: { epochs: 1, rank: 1 },
  thorough: { epochs: 2, rank: 2 },
};

/** The settings of a preset for a base model; what it leaves to the default is empty. */
export function presetFields(preset: Preset, ranges: Ranges): PresetFields {
  const { epochs, rank } = factors[preset];
  const settings = {
    ...scaled('epochs', ranges.epochs, epochs),
    ...scaled('lora_rank', ranges.lora_rank, rank),
    ...scaled('lora_alpha', ranges.lora_alpha, rank),
  };
  return { settings, early_stopping_patience: preset === 'thorough' ? '3' : '' };
}

function scaled(name: string, range: Range | undefined, factor: number): Record<string, string> {
  if (factor === 1 || typeof range?.default !== 'number') return {};
  const value = Math.max(1, Math.round(range.default * factor));
  return { [name]: String(Math.min(range.max ?? value, Math.max(range.min ?? value, value))) };
}

/** The preset whose settings these are; undefined: the user's own. */
export function presetOf(fields: JobFields, ranges: Ranges): Preset | undefined {
  const given = JSON.stringify(stated(fields));
  // The default first: where a model leaves nothing to scale, others are the same.
  return (['balanced', 'quick', 'thorough'] as const).find(
    (preset) => JSON.stringify(stated(presetFields(preset, ranges))) === given,
  );
}

/** What is filled in, in one order. */
function stated({ settings, early_stopping_patience: evaluations }: PresetFields): [string, string][] {
  return [...Object.entries(settings), ['early_stopping_patience', evaluations] as [string, string]]
    .filter(([, text]) => text.trim() !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
