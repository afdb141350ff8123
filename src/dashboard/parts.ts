/** What a dashboard shows of rooms that report to it. */
export type TrainingOverview = {
  active: {
    id: string;
    name: string;
    project: { owner: string; slug: string };
    state: string;
    percent: number | null;
  }[];
  queued: number;
  failedInWindow: number;
  lastSucceeded: { id: string; name: string; project: { owner: string; slug: string }; finishedAt: Date } | null;
  hasAny: boolean;
};
export type ImportsOverview = { awaitingConfirmation: number; failedInWindow: number };
export type FeedbackOverview = { pending: number; needsJudgment: number; promotedInWindow: number };

type DashboardInput = { accountId: string; since: Date };

/** Each asks its room once. */
export type DashboardParts = {
  training: (input: DashboardInput) => Promise<TrainingOverview>;
  imports: (input: DashboardInput) => Promise<ImportsOverview>;
  feedback: (input: DashboardInput) => Promise<FeedbackOverview>;
  hasDataset: (input: DashboardInput) => Promise<boolean>;
};
