import { countingModel, type Dataset } from '#datasets';
import type { BaseModel } from '#models';
import type { ProjectSeen } from '#projects';
import { limits } from '../events/event.ts';
import { dedupeWindowDays, type NegativePolicy, negativePolicy } from '../policy/negative-policy.ts';

/** How a project deals with search feedback: the rules of this release, the model that it would train, and what the operator set. */
export type FeedbackSettings = {
  acceptsEvents: boolean;
  policy: NegativePolicy;
  dedupeWindowDays: number;
  retentionDays: number;
  limits: { maxBatch: number; maxResults: number };
  /** Null: no embedding model is installed. */
  baseModel: BaseModel | null;
  updatedAt: Date;
};

export type SettingsDeps = { models: { baseModels: () => readonly BaseModel[] }; retentionDays: number };

export function settingsOf({ models, retentionDays }: SettingsDeps, project: ProjectSeen): FeedbackSettings {
  const ofProject: Pick<Dataset, 'kind' | 'targetModel'> = { kind: 'embedding', targetModel: null };
  return {
    acceptsEvents: project.archivedAt === null,
    policy: negativePolicy,
    dedupeWindowDays,
    retentionDays,
    limits: { maxBatch: limits.maxBatch, maxResults: limits.maxResults },
    baseModel: countingModel({ models }, ofProject),
    updatedAt: project.updatedAt,
  };
}
