import type { TargetName } from './models-queries.ts';

const jobPrefix = 'training-job#';

/** A target as the value of a form field. Training jobs are written as in API calls. */
export const targetValue = ({ type, id }: TargetName): string => (type === 'training_job' ? jobPrefix + id : id);
export const targetOf = (value: string): TargetName =>
  value.startsWith(jobPrefix)
    ? { type: 'training_job', id: value.slice(jobPrefix.length) }
    : { type: 'base_model', id: value };
