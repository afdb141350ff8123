import type { Schemas } from '../../api/generated/contract.ts';

type BaseModel = Schemas['BaseModel'];

/** Whether a job can be made of it here. */
export const isTrainable = ({ training, serving }: BaseModel): boolean => training.supported && serving.available;
